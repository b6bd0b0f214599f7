// Five-minute figures of each channel, of all processes, for failure reports to operators. Counted in memory and added
// to the stored counts once a minute, like the hourly figures.
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';
import type { Collection } from '#server/db/collection.ts';
import type { ChannelSlotRecord } from '#server/db/records/channel-slot.ts';

export interface ChannelSlots {
  called(channelId: number): void;
  /** `status`: HTTP status of the upstream, 0 without a response. */
  failed(channelId: number, status: number): void;
  /** Notes that a test passed at that time (milliseconds); later calls are counted separately from earlier ones. */
  passed(channelId: number, at: number): void;
  /** Returns slots from `since` (unix seconds) of all processes; of one channel if given. */
  read(since: number, channelId?: number): Promise<ChannelSlot[]>;
  /** Never rejects; failed writes are retried at the next flush. */
  flush(): Promise<void>;
}

export interface ChannelSlot {
  channelId: number;
  /** Start of the slot, unix seconds. */
  slot: number;
  /** Time from which the slot counts, milliseconds: its start, or a test that passed within it. */
  begins: number;
  calls: number;
  failures: number;
  /** Status of the last failure; undefined if there was none. */
  status: number | undefined;
  /** Time of the first failure, unix seconds; undefined if there was none or it is unknown. */
  firstAt: number | undefined;
}

interface SlotContext {
  db: Database;
  log: Logger;
  now(): number;
}

export const slotSeconds = 300;
export const storedSlotSeconds = 24 * 3600;
/** Maximum number of parallel writes. */
const writesAtOnce = 20;

export function createChannelSlots({ db, log, now }: SlotContext): ChannelSlots {
  const rows = db.collection('channel_slots');
  let counted = new Map<string, ChannelSlot>();
  /** Channel id → time in milliseconds at which a test passed in the current slot. */
  const passedAt = new Map<number, number>();
  // Serializes reads and flushes: counts in transit would be missed or counted twice.
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  function of(channelId: number): ChannelSlot {
    const slot = slotOf(now());
    const begins = Math.max(slot * 1000, passedAt.get(channelId) ?? 0);
    const id = idOf(channelId, { slot, begins });
    let found = counted.get(id);
    if (found === undefined)
      counted.set(id, (found = { channelId, slot, begins, calls: 0, failures: 0, status: undefined, firstAt: undefined }));
    return found;
  }

  return {
    called(channelId) {
      of(channelId).calls += 1;
    },
    failed(channelId, status) {
      const slot = of(channelId);
      slot.failures += 1;
      slot.status = status;
      slot.firstAt ??= Math.floor(now() / 1000);
    },
    passed(channelId, at) {
      const slot = slotOf(now()) * 1000;
      for (const [id, passed] of passedAt) if (passed < slot) passedAt.delete(id);
      if (at >= slot && at > (passedAt.get(channelId) ?? 0)) passedAt.set(channelId, at);
    },
    read: (since, channelId) =>
      inTurn(async () => {
        const from = { slot: { gte: since } };
        const stored = await rows.find(channelId === undefined ? from : { channel_id: channelId, ...from });
        const slots = new Map(stored.map((row) => [row.id, slotOfRecord(row)]));
        for (const [id, slot] of counted) {
          if (slot.slot < since || (channelId !== undefined && slot.channelId !== channelId)) continue;
          slots.set(id, merge(slots.get(id), slot));
        }
        return [...slots.values()];
      }),
    flush: () =>
      inTurn(async () => {
        const waiting = [...counted];
        counted = new Map();
        for (let start = 0; start < waiting.length; start += writesAtOnce) {
          const part = waiting.slice(start, start + writesAtOnce);
          const results = await Promise.allSettled(part.map((one) => store(rows, one)));
          for (const [index, result] of results.entries()) {
            const [id, slot] = part[index] ?? [];
            if (result.status === 'fulfilled' || id === undefined || slot === undefined) continue;
            log.warn({ reason: String(result.reason) }, 'what channels did lately could not be written and will be later');
            // Calls continue counting meanwhile.
            if (slot.slot > slotOf(now()) - storedSlotSeconds) counted.set(id, merge(slot, counted.get(id)));
          }
        }
      }),
  };
}

/** Adds the counts to the stored ones. */
async function store(rows: Collection<ChannelSlotRecord>, [id, slot]: [string, ChannelSlot]): Promise<void> {
  const { channelId: channel_id, calls, failures, status, begins, firstAt: first_at } = slot;
  const counts: ChannelSlotRecord = { id, channel_id, slot: slot.slot, calls, failures };
  if (begins !== slot.slot * 1000) counts.begins = begins;
  const increment = { calls, failures };
  if (status === undefined || first_at === undefined) {
    await rows.patch({ id }, { increment }, { insertIfMissing: counts });
    return;
  }
  const row = await rows.patch({ id }, { increment, set: { status } }, { insertIfMissing: { ...counts, status, first_at } });
  // The counts are stored: if the next write fails, they must not be added again.
  slot.calls = slot.failures = 0;
  if (row?.first_at !== undefined && row.first_at <= first_at) return;
  // The earliest of several processes wins.
  await rows.patch({ id, or: [{ first_at: { gt: first_at } }, { first_at: { exists: false } }] }, { set: { first_at } });
}

export async function sweepChannelSlots({ db, now }: Pick<SlotContext, 'db' | 'now'>): Promise<void> {
  await db.collection('channel_slots').remove({ slot: { lte: slotOf(now()) - storedSlotSeconds } });
}

/** Returns the start of the five-minute slot, unix seconds. */
export function slotOf(milliseconds: number): number {
  return Math.floor(milliseconds / (slotSeconds * 1000)) * slotSeconds;
}

function idOf(channelId: number, { slot, begins }: Pick<ChannelSlot, 'slot' | 'begins'>): string {
  return `${channelId}:${begins === slot * 1000 ? slot : begins}`;
}

function slotOfRecord(record: ChannelSlotRecord): ChannelSlot {
  const { channel_id: channelId, slot, begins = slot * 1000, calls, failures, status, first_at: firstAt } = record;
  return { channelId, slot, begins, calls, failures, status, firstAt };
}

/** @param newer slot whose last failure wins */
function merge(slot: ChannelSlot | undefined, newer: ChannelSlot | undefined): ChannelSlot {
  const [one, other] = [slot ?? newer, slot === undefined ? undefined : newer];
  if (one === undefined) throw new Error('There is nothing to merge');
  if (other === undefined) return { ...one };
  return {
    ...one,
    calls: one.calls + other.calls,
    failures: one.failures + other.failures,
    status: other.status ?? one.status,
    firstAt: earlier(one.firstAt, other.firstAt),
  };
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
