// Streams a provider's file to a reader; the number of readers is limited per user.
import type { AppContext } from '#server/context.ts';
import { bufferResponse, type DirectResponse, streamResponse } from '#server/http/lean-response.ts';
import { createShares } from '#server/queues/shares.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { PassedBytes } from './passed-bytes.ts';
import { takeReaderSlot } from './reader-slot.ts';

/** Maximum concurrent readings. */
export const mostReaders = { all: 200, perOwner: 16 };

const readers = createShares<number>();

/** @throws {AppError} `rate_limited`, and what `open` throws */
export async function passFile(
  { env }: Pick<AppContext, 'env'>,
  { userId, type, open }: { userId: number; type: string; open(): Promise<EventSource | Buffer> },
): Promise<DirectResponse> {
  const done = takeReaderSlot(readers, userId, mostReaders);
  try {
    const source = await open();
    const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
    if (!Buffer.isBuffer(source)) return streamResponse(200, headers, new PassedBytes(source, env.STREAMING_TIMEOUT * 1000, done));
    done();
    return bufferResponse(200, headers, source);
  } catch (failure) {
    done();
    throw failure;
  }
}
