// Settles the tokens of work that ends long after its process has counted them, perhaps in another process: its usage replaces the estimate, once.
import type { AppContext } from '#server/context.ts';
import { type Filter, onField } from '#server/db/collection.ts';
import type { LimitRecord } from '#server/db/records/limit.ts';
import { windowId } from './window-counter.ts';

/** Window of a limit. Milliseconds since the epoch. */
export interface CountedWindow {
  key: string;
  startAt: number;
  endAt: number;
}

/** What was counted when work began. */
export interface CountedWork {
  windows: readonly CountedWindow[];
  /** Estimate that each window has counted. */
  tokens: number;
}

interface Settled {
  /** Names the work: the second settlement under a name changes nothing. */
  name: string;
  /** Tokens that the work used. */
  used: number;
}

/** Milliseconds after which the name of settled work is removed; nothing settles twice in so long a time. */
const namedMs = 3_600_000;

/** What was not used is given back to windows that have not ended; what was used beyond the estimate counts in them, or in those of now. */
export async function settleLater(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { windows, tokens }: CountedWork,
  { name, used }: Settled,
): Promise<void> {
  const more = used - tokens;
  if (more === 0) return;
  const limits = db.collection('limits');
  const mark = `settled.${name}` as const;
  for (const { key, startAt, endAt } of windows) {
    const time = now();
    if (time >= endAt && more < 0) continue;
    const ms = endAt - startAt;
    const begin = time >= endAt ? Math.floor(time / ms) * ms : startAt;
    const id = windowId(key, begin, ms);
    const known = await limits.get(id);
    const unset = Object.entries(known?.settled ?? {}).flatMap(([other, at]) => (at < time - namedMs ? [`settled.${other}` as const] : []));
    const first: Filter<LimitRecord> = { id, ...onField<LimitRecord, typeof mark>(mark, { exists: false }) };
    const fresh = { id, count: more, reset_at: begin + ms, spare: {}, settled: { [name]: time } };
    // A window that has ended meanwhile has no record any more, and nothing to get back.
    await limits.patch(first, { increment: { count: more }, set: { [mark]: time }, unset }, more > 0 ? { insertIfMissing: fresh } : {});
  }
}
