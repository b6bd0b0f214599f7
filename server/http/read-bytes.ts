// Reads a body of bytes while it arrives, for endpoints that store it: nothing of it remains in memory.
import { Readable } from 'node:stream';
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { Passage, ProgressWatch } from '#server/network/progress-watch.ts';

export interface BytesReading {
  request: Request;
  connection: Connection | null;
  /** Maximum bytes. */
  limit: number;
  watch: ProgressWatch;
}

/**
 * Returns the chunks. A page of another site cannot send the content type without a preflight.
 * @throws {AppError} `bytes_expected`, `body_too_large`; while reading: `body_timeout`, `client_closed`, `body_too_large`
 */
export function readBytes(reading: BytesReading): AsyncIterable<Buffer> {
  const { headers } = reading.request;
  if (!/^application\/octet-stream\b/i.test(headers.get('content-type') ?? '')) throw new AppError('bytes_expected');
  // A compressed body could expand without end.
  if (!/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) throw new AppError('unsupported_encoding');
  if (Number(headers.get('content-length') ?? 0) > reading.limit) throw new AppError('body_too_large', { limit: reading.limit });
  return chunksOf(reading);
}

async function* chunksOf({ request, connection, limit, watch }: BytesReading): AsyncGenerator<Buffer> {
  const source = connection?.req ?? (request.body === null ? Readable.from([]) : Readable.from(request.body));
  if (connection?.req.headers.expect?.toLowerCase() === '100-continue') connection.res.writeContinue();
  let size = 0;
  const stuck = Promise.withResolvers<never>();
  stuck.promise.catch(() => {});
  const passage: Passage = {
    watchPlace: -1,
    watchedBytes: 0,
    watchedAt: 0,
    passed: () => size,
    stuck: () => stuck.reject(new AppError('body_timeout')),
  };
  watch.add(passage);
  try {
    // The connection must stay open for the response, also if reading ends early.
    const chunks = source.iterator({ destroyOnReturn: false });
    for (;;) {
      const { done, value } = await Promise.race([chunks.next().catch(closed), stuck.promise]);
      if (done === true) return;
      const chunk = Buffer.isBuffer(value) ? value : Buffer.from(value);
      size += chunk.length;
      if (size > limit) throw new AppError('body_too_large', { limit });
      yield chunk;
    }
  } finally {
    watch.remove(passage);
  }
}

function closed(cause: unknown): never {
  throw new AppError('client_closed', {}, { cause });
}
