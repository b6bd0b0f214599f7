// A question about a batch to its provider, whatever the vendor's form is.
import { askAccount } from '#server/slices/files/upstream-files.ts';
import type { Asking } from '#server/slices/files/upstream-files.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { invalidResponse } from '#server/exchange/upstream-error.ts';
import type { AskedBatch, ToldBatch } from './batch-format.ts';

interface Question {
  method: 'GET' | 'POST';
  /** Behind `/v1`. */
  path: string;
  /** JSON. */
  body?: Buffer | PiecedBody;
  /** What a batch is in the vendor's form; null: that is none. */
  readTold(object: Readonly<Record<string, unknown>>): ToldBatch | null;
}

export async function askBatches(
  context: Asking,
  channel: PreparedChannel,
  { method, path, body, readTold }: Question,
): Promise<AskedBatch> {
  const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
  const received = await askAccount(context, channel, { method, path, ...sent });
  if (received.kind === 'failed') {
    const { upstreamStatus: status } = received.failure;
    return { failure: received.failure, isUnknown: status < 400 || status >= 500 || status === 408 };
  }
  if (received.kind === 'stream') received.stream.abort();
  const object = received.kind === 'whole' ? parseObject(received.body.toString('utf8')) : null;
  const told = object === null ? null : readTold(object);
  return told === null ? { failure: invalidResponse(), isUnknown: true } : { told };
}

/** Requests of a batch; 0 for everything that cannot be a number of them. */
export function requestCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, 10_000_000) : 0;
}
