// Hourly figures of each channel for administrators: calls, failures, times to first byte. Counted in memory and added
// to the stored figures about once a minute and at shutdown. A crash loses the last minute; a write whose response is
// lost may count twice; calls never wait for any of it.
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';
import type { GroupRequest, Increments } from '#server/db/collection.ts';
import type { PathOf } from '#server/db/fields.ts';
import type { ChannelHourRecord } from '#server/db/records/channel-hour.ts';
import { hourSeconds } from '#shared/channels.ts';
import { addFirstBytes, bucketOf, emptyFirstBytes, type FirstByteBucket, firstByteKeys, storedBucket } from './first-byte-buckets.ts';
import { type ChannelSlots, createChannelSlots } from './channel-slots.ts';

export interface ChannelFigures {
  /** Counts a finished call. `firstByteMs`: time to the first byte of its response; undefined without one. */
  called(channelId: number, firstByteMs: number | undefined): void;
  /** Counts the prompt tokens of a settled call, and how many of them the provider's cache served. */
  prompted(channelId: number, tokens: number, cached: number): void;
  /** Counts a call that failed because of the channel. `status`: HTTP status of the upstream, 0 without a response. */
  failed(channelId: number, status?: number): void;
  /** Notes that a test passed at that time, milliseconds. */
  passed(channelId: number, at: number): void;
  /** Returns the hours of all channels, or of one, from `since` (start of an hour, unix seconds), of all processes, including counts not stored yet. */
  read(since: number, channelId?: number): Promise<ChannelHour[]>;
  /** Five-minute figures of the last day. */
  readonly slots: Pick<ChannelSlots, 'read'>;
  /** Adds the counts to the stored figures. Never rejects; failed writes are retried at the next flush. */
  flush(): Promise<void>;
  /** Stores the remaining counts. */
  stop(): Promise<void>;
}

export interface ChannelHour {
  channelId: number;
  /** Start of the hour, unix seconds. */
  hour: number;
  calls: number;
  failures: number;
  /** Prompt tokens, and how many of them the provider's cache served. */
  promptTokens: number;
  cachedTokens: number;
  /** Counts by the buckets of `first-byte-buckets.ts`. */
  firstBytes: FirstByteBucket[];
}

interface FiguresContext {
  db: Database;
  log: Logger;
  now(): number;
}

const retentionSeconds = 48 * hourSeconds;
const flushMs = 60_000;
/** Maximum number of parallel writes. */
const writesAtOnce = 20;

export function createChannelFigures({ db, log, now }: FiguresContext): ChannelFigures {
  const rows = db.collection('channel_hours');
  const counted = createCounters(now);
  const slots = createChannelSlots({ db, log, now });
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
      const hours = counted.all();
      try {
        for (let start = 0; start < hours.length; start += writesAtOnce) {
          const results = await Promise.allSettled(hours.slice(start, start + writesAtOnce).map(store));
          for (const result of results) if (result.status === 'rejected') throw result.reason;
        }
      } catch (failure) {
        log.warn({ reason: String(failure) }, 'the figures of channels could not be written and will be later');
      }
      counted.forgetStored();
      await slots.flush();
    });
  }

  async function store(counters: ChannelHour): Promise<void> {
    // Calls continue counting meanwhile.
    const stored = copyOf(counters);
    const record = recordOf(stored);
    await rows.patch({ id: record.id }, { increment: incrementsOf(record) }, { insertIfMissing: record });
    add(counters, stored, -1);
  }

  return {
    slots,
    called(channelId, firstByteMs) {
      slots.called(channelId);
      const counters = counted.of(channelId);
      counters.calls += 1;
      if (firstByteMs !== undefined) addFirstByte(counters, firstByteMs);
    },
    prompted: (channelId, tokens, cached) => addPrompt(counted.of(channelId), tokens, cached),
    failed(channelId, status = 0) {
      slots.failed(channelId, status);
      counted.of(channelId).failures += 1;
    },
    passed: slots.passed,
    read(since, channelId) {
      return inTurn(async () => {
        const hours = new Map<string, ChannelHour>();
        for (const row of await rows.group(hoursSince(since, channelId === undefined ? undefined : { channelId, now: now() }))) {
          const hour = storedHour(row);
          hours.set(idOf(hour), hour);
        }
        for (const counters of counted.all()) {
          if (counters.hour < since || (channelId !== undefined && counters.channelId !== channelId)) continue;
          const known = hours.get(idOf(counters));
          if (known === undefined) hours.set(idOf(counters), copyOf(counters));
          else add(known, counters, 1);
        }
        return [...hours.values()];
      });
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Removes hours past the retention time. */
export async function sweepChannelFigures({ db, now }: Pick<FiguresContext, 'db' | 'now'>): Promise<void> {
  await db.collection('channel_hours').remove({ hour: { lte: hourOf(now()) - retentionSeconds } });
}

/** Returns the start of the hour, unix seconds. */
export function hourOf(milliseconds: number): number {
  return Math.floor(milliseconds / (hourSeconds * 1000)) * hourSeconds;
}

const sums: Record<string, PathOf<ChannelHourRecord, number>> = {
  calls: 'calls',
  failures: 'failures',
  prompt_tokens: 'prompt_tokens',
  cached_tokens: 'cached_tokens',
};
for (const key of firstByteKeys) {
  sums[key] = `first_byte.${key}`;
  sums[`sum_${key}`] = `first_byte_ms.${key}`;
}

/**
 * Groups by record: sums are computed off the event loop, long lists are not.
 * @param of if defined, a single channel, whose hours are read by their ids
 */
export function hoursSince(since: number, of?: { channelId: number; now: number }): GroupRequest<ChannelHourRecord> {
  const ids = of === undefined ? undefined : hoursBetween(since, hourOf(of.now)).map((hour) => idOf({ channelId: of.channelId, hour }));
  return { filter: ids === undefined ? { hour: { gte: since } } : { id: { in: ids } }, by: ['channel_id', 'hour'], sum: sums };
}

function hoursBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, (last - first) / hourSeconds) + 1 }, (_, index) => first + index * hourSeconds);
}

/** Counts not stored yet. */
function createCounters(now: () => number) {
  /** Channel id → current hour. */
  const present = new Map<number, ChannelHour>();
  /** Hours that have ended. */
  let past: ChannelHour[] = [];
  return {
    of(channelId: number): ChannelHour {
      const hour = hourOf(now());
      const known = present.get(channelId);
      if (known !== undefined && known.hour === hour) return known;
      if (known !== undefined) past.push(known);
      const counters = emptyHour(channelId, hour);
      present.set(channelId, counters);
      return counters;
    },
    all: (): ChannelHour[] => [...past, ...present.values()].filter(hasCounts),
    /** Removes idle channels and expired hours. */
    forgetStored(): void {
      const hour = hourOf(now());
      past = past.filter((counters) => hasCounts(counters) && counters.hour > hour - retentionSeconds);
      for (const [id, counters] of present) if (counters.hour !== hour && !hasCounts(counters)) present.delete(id);
    },
  };
}

function addPrompt(counters: ChannelHour, tokens: number, cached: number): void {
  counters.promptTokens += tokens;
  counters.cachedTokens += cached;
}

function addFirstByte({ firstBytes }: ChannelHour, milliseconds: number): void {
  const bucket = firstBytes[bucketOf(milliseconds)];
  if (bucket === undefined) return;
  bucket.count += 1;
  bucket.milliseconds += Math.round(milliseconds);
}

function storedHour(row: Record<string, unknown>): ChannelHour {
  return {
    channelId: Number(row['channel_id']),
    hour: Number(row['hour']),
    calls: Number(row['calls']),
    failures: Number(row['failures']),
    promptTokens: Number(row['prompt_tokens']),
    cachedTokens: Number(row['cached_tokens']),
    firstBytes: firstByteKeys.map((key, bucket) =>
      storedBucket(bucket, { count: Number(row[key]), milliseconds: Number(row[`sum_${key}`]) }),
    ),
  };
}

function emptyHour(channelId: number, hour: number): ChannelHour {
  return { channelId, hour, calls: 0, failures: 0, promptTokens: 0, cachedTokens: 0, firstBytes: emptyFirstBytes() };
}

function copyOf(hour: ChannelHour): ChannelHour {
  return { ...hour, firstBytes: hour.firstBytes.map((bucket) => ({ ...bucket })) };
}

function hasCounts({ calls, failures, promptTokens }: ChannelHour): boolean {
  return calls > 0 || failures > 0 || promptTokens > 0;
}

function add(to: ChannelHour, counts: ChannelHour, sign: 1 | -1): void {
  to.calls += sign * counts.calls;
  to.failures += sign * counts.failures;
  to.promptTokens += sign * counts.promptTokens;
  to.cachedTokens += sign * counts.cachedTokens;
  addFirstBytes(to.firstBytes, counts.firstBytes, sign);
}

function idOf({ channelId, hour }: Pick<ChannelHour, 'channelId' | 'hour'>): string {
  return `${channelId}:${hour}`;
}

function recordOf(counted: ChannelHour): ChannelHourRecord {
  const { channelId, hour, calls, failures, promptTokens, cachedTokens } = counted;
  const first_byte: Record<string, number> = {};
  const first_byte_ms: Record<string, number> = {};
  for (const [bucket, key] of firstByteKeys.entries()) {
    const { count, milliseconds } = counted.firstBytes[bucket] ?? { count: 0, milliseconds: 0 };
    if (count > 0) first_byte[key] = count;
    if (milliseconds > 0) first_byte_ms[key] = milliseconds;
  }
  return {
    id: idOf(counted),
    channel_id: channelId,
    hour,
    calls,
    failures,
    first_byte,
    first_byte_ms,
    prompt_tokens: promptTokens,
    cached_tokens: cachedTokens,
  };
}

function incrementsOf(record: ChannelHourRecord): Increments<ChannelHourRecord> {
  const { calls, failures, prompt_tokens = 0, cached_tokens = 0 } = record;
  const increment: Increments<ChannelHourRecord> = { calls, failures, prompt_tokens, cached_tokens };
  for (const [key, count] of Object.entries(record.first_byte)) increment[`first_byte.${key}` as const] = count;
  for (const [key, milliseconds] of Object.entries(record.first_byte_ms ?? {})) increment[`first_byte_ms.${key}` as const] = milliseconds;
  return increment;
}
