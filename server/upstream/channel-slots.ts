// How each channel did in the last minutes, all processes together: what an operator is told when it fails. Counted in memory and
// added to the stored counts once a minute, like the figures by the hour (decision 14).
import type { AppContext } from '#server/context.ts';
import type { ChannelSlotRecord } from '#server/db/records/channel-slot.ts';

export interface ChannelSlots {
  called(channelId: number): void;
  /** `status`: HTTP status of the upstream, 0 without an answer. */
  failed(channelId: number, status: number): void;
  /** Five minutes each, from `since` (unix seconds) on, of all processes; of one channel unless absent. */
  read(since: number, channelId?: number): Promise<ChannelSlot[]>;
  /** Never rejects: what could not be stored is kept for the next time. */
  flush(): Promise<void>;
}

export interface ChannelSlot {
  channelId: number;
  /** When it began, unix seconds. */
  slot: number;
  calls: number;
  failures: number;
  /** Of the last failure; undefined: there was none. */
  status: number | undefined;
}

type SlotContext = Pick<AppContext, 'db' | 'log' | 'now'>;

export const slotSeconds = 300;
export const keptSlotSeconds = 24 * 3600;
/** Written at the same time. */
const writesAtOnce = 20;

export function createChannelSlots({ db, log, now }: SlotContext): ChannelSlots {
  const rows = db.collection('channel_slots');
  let counted = new Map<string, ChannelSlot>();
  // Stored and counted slots add up only while nothing is on its way from the ones to the others.
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  function of(channelId: number): ChannelSlot {
    const slot = slotOf(now());
    const id = idOf(channelId, slot);
    let found = counted.get(id);
    if (found === undefined) counted.set(id, (found = { channelId, slot, calls: 0, failures: 0, status: undefined }));
    return found;
  }

  async function store([id, slot]: [string, ChannelSlot]): Promise<void> {
    const { channelId: channel_id, calls, failures, status } = slot;
    const counts: ChannelSlotRecord = { id, channel_id, slot: slot.slot, calls, failures };
    const increment = { calls, failures };
    if (status === undefined) await rows.patch({ id }, { increment }, { insertIfMissing: counts });
    else await rows.patch({ id }, { increment, set: { status } }, { insertIfMissing: { ...counts, status } });
  }

  return {
    called(channelId) {
      of(channelId).calls += 1;
    },
    failed(channelId, status) {
      const slot = of(channelId);
      slot.failures += 1;
      slot.status = status;
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
          const results = await Promise.allSettled(part.map(store));
          for (const [index, result] of results.entries()) {
            const [id, slot] = part[index] ?? [];
            if (result.status === 'fulfilled' || id === undefined || slot === undefined) continue;
            log.warn({ reason: String(result.reason) }, 'what channels did lately could not be written and will be later');
            // Calls go on counting meanwhile.
            if (slot.slot > slotOf(now()) - keptSlotSeconds) counted.set(id, merge(slot, counted.get(id)));
          }
        }
      }),
  };
}

export async function sweepChannelSlots({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  await db.collection('channel_slots').remove({ slot: { lte: slotOf(now()) - keptSlotSeconds } });
}

/** When the five minutes of a time in milliseconds began, unix seconds. */
export function slotOf(milliseconds: number): number {
  return Math.floor(milliseconds / (slotSeconds * 1000)) * slotSeconds;
}

function idOf(channelId: number, slot: number): string {
  return `${channelId}:${slot}`;
}

function slotOfRecord({ channel_id: channelId, slot, calls, failures, status }: ChannelSlotRecord): ChannelSlot {
  return { channelId, slot, calls, failures, status };
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
  };
}
