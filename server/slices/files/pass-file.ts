// A file of a provider on its way to a reader, of which every user has so many at a time.
import type { AppContext } from '#server/context.ts';
import { bufferResponse, streamResponse } from '#server/http/lean-response.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import { createShares } from '#server/queues/shares.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { PassedBytes } from './passed-bytes.ts';
import { takeReaderSlot } from './reader-slot.ts';

/** Files that are read at the same time. */
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
