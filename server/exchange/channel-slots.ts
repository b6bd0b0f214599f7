// How each channel did in the last minutes, all processes together: what an operator is told when it fails. Counted in memory and
// added to the stored counts once a minute, like the figures by the hour (decision 14).
import type { Logger } from 'pino';
import type { Database } from '#server/db/database.ts';
import type { Collection } from '#server/db/collection.ts';
import type { ChannelSlotRecord } from '#server/db/records/channel-slot.ts';

export interface ChannelSlots {
  called(channelId: number): void;
  /** `status`: HTTP status of the upstream, 0 without an answer. */
  failed(channelId: number, status: number): void;
  /** A test passed at that time (milliseconds): what follows is counted apart from what was before. */
  passed(channelId: number, at: number): void;
  /** Five minutes each, from `since` (unix seconds) on, of all processes; of one channel unless absent. */
  read(since: number, channelId?: number): Promise<ChannelSlot[]>;
  /** Never rejects: what could not be stored is kept for the next time. */
  flush(): Promise<void>;
}

export interface ChannelSlot {
  channelId: number;
  /** When it began, unix seconds. */
  slot: number;
  /** From when on it was counted, milliseconds: its beginning, or a test that passed within it. */
  begins: number;
  calls: number;
  failures: number;
  /** Of the last failure; undefined: there was none. */
  status: number | undefined;
  /** The first failure, unix seconds; undefined: there was none, or that is not known. */
  firstAt: number | undefined;
}

interface SlotContext {
  db: Database;
  log: Logger;
  now(): number;
}

export const slotSeconds = 300;
export const storedSlotSeconds = 24 * 3600;
/** Written at the same time. */
const writesAtOnce = 20;

export function createChannelSlots({ db, log, now }: SlotContext): ChannelSlots {
  const rows = db.collection('channel_slots');
  let counted = new Map<string, ChannelSlot>();
  /** Channel → when a test passed, milliseconds; of the present slot. */
  const passedAt = new Map<number, number>();
  // Stored and counted slots add up only while nothing is on its way from the ones to the others.
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
            // Calls go on counting meanwhile.
            if (slot.slot > slotOf(now()) - storedSlotSeconds) counted.set(id, merge(slot, counted.get(id)));
          }
        }
      }),
  };
}

/** Adds what was counted to what is stored. */
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
  // They are stored: should the rest fail, they are not counted again.
  slot.calls = slot.failures = 0;
  if (row?.first_at !== undefined && row.first_at <= first_at) return;
  // Of several processes the earliest.
  await rows.patch({ id, or: [{ first_at: { gt: first_at } }, { first_at: { exists: false } }] }, { set: { first_at } });
}

export async function sweepChannelSlots({ db, now }: Pick<SlotContext, 'db' | 'now'>): Promise<void> {
  await db.collection('channel_slots').remove({ slot: { lte: slotOf(now()) - storedSlotSeconds } });
}

/** When the five minutes of a time in milliseconds began, unix seconds. */
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

/** @param newer whose last failure counts */
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
