// A question about a batch to its provider, whatever the vendor's form is.
import { requestAccount } from '#server/slices/files/upstream-files.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse } from '#server/exchange/upstream-error.ts';
import type { BatchRequest, ReportedBatch } from './batch-format.ts';

interface Question {
  method: 'GET' | 'POST';
  /** Behind `/v1`. */
  path: string;
  /** JSON. */
  body?: Buffer | PiecedBody;
  /** What a batch is in the vendor's form; null: that is none. */
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

/** Requests of a batch; 0 for everything that cannot be a number of them. */
export function requestCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, 10_000_000) : 0;
}
