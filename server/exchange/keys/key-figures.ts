// Figures of the keys of channels with several: calls, failures and tokens by the hour, and in total. Counted in memory and added
// to the stored figures about once a minute and at shutdown, as those of channels are.
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';
import type { ChannelKeyHourRecord } from '#server/db/records/channel-key-hour.ts';
import { hourSeconds } from '#shared/channels.ts';
import { hourOf } from '#server/exchange/channel-figures.ts';

export interface KeyFigures {
  /** Counts a finished call. */
  called(key: CountedKey, isFailed: boolean): void;
  /** Counts the tokens of a settled call. */
  used(key: CountedKey, tokens: number): void;
  /** Returns the hours of a channel's keys from `since` (unix seconds) of all processes, including counts not stored yet. */
  read(channelId: number, since: number): Promise<KeyHour[]>;
  /** Returns counts not stored yet by key id, with the time of the last call in unix seconds. */
  pending(channelId: number): ReadonlyMap<number, KeyCounts>;
  /** Returns all that this process has counted for these keys, by key id, and drops the counts of others. Empty unless `isMeasured`. */
  totals(keyIds: ReadonlySet<number>): ReadonlyMap<number, KeyCounts>;
  /** Adds the counts to the stored figures. Never rejects; failed writes are retried at the next flush. */
  flush(): Promise<void>;
  /** Stores the remaining counts. */
  stop(): Promise<void>;
}

export interface CountedKey {
  id: number;
  channelId: number;
}

export interface KeyCounts {
  calls: number;
  failures: number;
  tokens: number;
  lastUsed: number;
}

export interface KeyHour extends KeyCounts {
  keyId: number;
  channelId: number;
  /** Start of the hour, unix seconds. */
  hour: number;
}

const retentionSeconds = 48 * hourSeconds;
const flushMs = 60_000;
/** Maximum number of parallel writes. */
const writesAtOnce = 20;

interface FiguresContext {
  db: Database;
  log: Logger;
  now(): number;
  /** Whether `totals` are read. */
  isMeasured?: boolean;
}

export function createKeyFigures({ db, log, now, isMeasured = false }: FiguresContext): KeyFigures {
  const rows = db.collection('channel_key_hours');
  const counted = createKeyCounters(now);
  const { leave, totals, pending } = createKeySums(counted, isMeasured);
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();

  // Serializes reads and flushes: counts in transit would be missed or counted twice.
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  function flush(): Promise<void> {
    return inTurn(async () => {
      const waiting = counted.all();
      for (let start = 0; start < waiting.length; start += writesAtOnce) {
        const results = await Promise.allSettled(waiting.slice(start, start + writesAtOnce).map((counts) => storeHour(db, counts, leave)));
        const failed = results.find((result) => result.status === 'rejected');
        if (failed === undefined) continue;
        log.warn({ reason: String(failed.reason) }, 'the figures of keys could not be written and will be later');
        break;
      }
      counted.forgetStored(leave);
    });
  }

  return {
    called(key, isFailed) {
      const counts = counted.of(key);
      counts.calls += 1;
      if (isFailed) counts.failures += 1;
    },
    used: (key, tokens) => void (counted.of(key).tokens += tokens),
    read: (channelId, since) =>
      inTurn(async () => {
        const stored = await rows.find({ channel_id: channelId, hour: { gte: since } });
        const hours = new Map(stored.map((row) => [row.id, hourOfRecord(row)]));
        for (const counts of counted.all()) {
          if (counts.channelId !== channelId || counts.hour < since) continue;
          const known = hours.get(idOf(counts));
          hours.set(idOf(counts), known === undefined ? { ...counts } : { ...known, ...sumOf(known, counts) });
        }
        return [...hours.values()];
      }),
    pending,
    totals,
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

const noCounts: KeyCounts = { calls: 0, failures: 0, tokens: 0, lastUsed: 0 };

/** Counts not stored yet. */
function createKeyCounters(now: () => number) {
  const counted = new Map<string, KeyHour>();
  return {
    of({ id: keyId, channelId }: CountedKey): KeyHour {
      const time = now();
      const name = idOf({ keyId, hour: hourOf(time) });
      let counts = counted.get(name);
      if (counts === undefined) counted.set(name, (counts = { keyId, channelId, hour: hourOf(time), ...noCounts }));
      counts.lastUsed = Math.floor(time / 1000);
      return counts;
    },
    all: (): KeyHour[] => [...counted.values()],
    forgetStored(leave: (counts: KeyHour) => void): void {
      const oldest = hourOf(now()) - retentionSeconds;
      for (const [name, counts] of counted) {
        const { calls, failures, tokens, hour } = counts;
        const isStored = calls === 0 && failures === 0 && tokens === 0;
        if (!isStored && hour > oldest) continue;
        counted.delete(name);
        leave(counts);
      }
    },
  };
}

/** Sums by key id: of counts not stored yet, and since the start of the process, for which calls pay nothing. */
function createKeySums(counted: Pick<ReturnType<typeof createKeyCounters>, 'all'>, isMeasured: boolean) {
  const left = new Map<number, KeyCounts>();
  const add = (sums: Map<number, KeyCounts>, counts: KeyHour) => sums.set(counts.keyId, sumOf(sums.get(counts.keyId) ?? noCounts, counts));
  return {
    pending(channelId: number): Map<number, KeyCounts> {
      const sums = new Map<number, KeyCounts>();
      for (const counts of counted.all()) if (counts.channelId === channelId) add(sums, counts);
      return sums;
    },
    leave(counts: KeyHour): void {
      if (isMeasured) add(left, counts);
    },
    totals(keyIds: ReadonlySet<number>): Map<number, KeyCounts> {
      for (const keyId of left.keys()) if (!keyIds.has(keyId)) left.delete(keyId);
      const sums = new Map(left);
      if (isMeasured) for (const counts of counted.all()) if (keyIds.has(counts.keyId)) add(sums, counts);
      return sums;
    },
  };
}

async function storeHour(db: Database, counts: KeyHour, leave: (stored: KeyHour) => void): Promise<void> {
  // Calls continue counting meanwhile.
  const { keyId: key_id, channelId: channel_id, hour, calls, failures, tokens, lastUsed } = counts;
  if (calls === 0 && failures === 0 && tokens === 0) return;
  const id = idOf(counts);
  const increment = { calls, failures, tokens };
  await db
    .collection('channel_key_hours')
    .patch({ id }, { increment }, { insertIfMissing: { id, key_id, channel_id, hour, ...increment } });
  counts.calls -= calls;
  counts.failures -= failures;
  counts.tokens -= tokens;
  leave({ ...counts, calls, failures, tokens });
  await db.collection('channel_keys').patch({ id: key_id }, { increment, set: { last_used_time: lastUsed } });
}

function hourOfRecord({ key_id: keyId, channel_id: channelId, hour, calls, failures, tokens }: ChannelKeyHourRecord): KeyHour {
  return { keyId, channelId, hour, calls, failures, tokens, lastUsed: 0 };
}

function sumOf(one: KeyCounts, other: KeyCounts): KeyCounts {
  return {
    calls: one.calls + other.calls,
    failures: one.failures + other.failures,
    tokens: one.tokens + other.tokens,
    lastUsed: Math.max(one.lastUsed, other.lastUsed),
  };
}

function idOf({ keyId, hour }: Pick<KeyHour, 'keyId' | 'hour'>): string {
  return `${keyId}:${hour}`;
}

/** Removes hours past the retention time. */
export async function sweepKeyFigures({ db, now }: { db: Database; now(): number }): Promise<void> {
  await db.collection('channel_key_hours').remove({ hour: { lte: hourOf(now()) - retentionSeconds } });
}
