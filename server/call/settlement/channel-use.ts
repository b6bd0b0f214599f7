// Sums the quota used by channels, a figure for administrators, in memory and writes it once a second.
import type { Logger } from 'pino';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';

export interface ChannelUse {
  add(channelId: number, quota: number): void;
  /** Writes the remaining sums. */
  stop(): Promise<void>;
}

const flushMs = 1_000;

export function createChannelUse({ db, log }: { db: Database; log: Logger }): ChannelUse {
  let sums = new Map<number, number>();
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();

  async function flush(): Promise<void> {
    if (sums.size === 0) return;
    const batch = sums;
    sums = new Map();
    // Written individually, so that a failed write affects no other sum and nothing is added twice.
    for (const [id, quota] of batch) {
      try {
        await addChannelUse(db, id, quota);
      } catch (failure) {
        const isLater = failure instanceof DatabaseUnavailable;
        log.warn(
          { channel: id, reason: String(failure) },
          `the use of a channel could not be written and ${isLater ? 'will be later' : 'is lost'}`,
        );
        if (isLater) sums.set(id, (sums.get(id) ?? 0) + quota);
      }
    }
  }

  return {
    add(channelId, quota) {
      if (quota > 0) sums.set(channelId, (sums.get(channelId) ?? 0) + quota);
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
