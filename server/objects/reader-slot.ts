// Limits concurrent readers of provider files, each of which holds a connection.
import { AppError } from '#shared/errors.ts';
import type { ShareLimits, Shares } from '#server/queues/shares.ts';

/**
 * Returns a function that releases the slot once.
 * @throws {AppError} `rate_limited`
 */
export function takeReaderSlot(readers: Shares<number>, userId: number, most: ShareLimits): () => void {
  if (!readers.fits(userId, 1, most)) throw new AppError('rate_limited', {}, { retryAfter: 5 });
  readers.add(userId, 1);
  let isOpen = true;
  return () => {
    if (isOpen) readers.add(userId, -1);
    isOpen = false;
  };
}
