// Sends a request about a batch to its provider, in any vendor's format.
import { requestAccount, type Requesting } from '#server/objects/upstream-files.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse } from '#server/exchange/upstream-error.ts';
import type { BatchRequest, ReportedBatch } from './batch-format.ts';

interface Question {
  method: 'GET' | 'POST';
  /** Path after `/v1`. */
  path: string;
  /** JSON. */
  body?: Buffer | PiecedBody;
  /** Reads a batch in the vendor's format; returns null if it is none. */
  readReported(object: Readonly<Record<string, unknown>>): ReportedBatch | null;
}

export async function queryBatches(
  context: Requesting,
  channel: PreparedChannel,
  { method, path, body, readReported }: Question,
): Promise<BatchRequest> {
  const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
  const received = await requestAccount(context, channel, { method, path, ...sent });
  if (received.kind === 'failed') {
    const { upstreamStatus: status } = received.failure;
    return { failure: received.failure, isUnknown: status < 400 || status >= 500 || status === 408 };
  }
  if (received.kind === 'stream') received.stream.abort();
  const object = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
  const reported = object === null ? null : readReported(object);
  return reported === null ? { failure: invalidResponse(), isUnknown: true } : { reported };
}

/** Number of requests; 0 if invalid. */
export function requestCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, 10_000_000) : 0;
}
