// What channels have used: a figure for administrators, summed in memory and written once a second.
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';

export interface ChannelUse {
  add(channelId: number, quota: number): void;
  /** Writes what is left. */
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
    try {
      await db.write([...batch].map(([id, quota]) => ({ of: 'channels', where: { id }, patch: { increment: { used_quota: quota } } })));
    } catch (failure) {
      log.warn({ reason: String(failure) }, 'the use of channels could not be written and will be later');
      for (const [id, quota] of batch) sums.set(id, (sums.get(id) ?? 0) + quota);
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
