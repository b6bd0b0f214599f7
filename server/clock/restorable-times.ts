import { restorableSeconds } from '#shared/restoring.ts';
import { lockSkewMs } from './clock-skew.ts';
import type { AppContext } from '#server/context.ts';

/** Between which deletions can still be taken back, in milliseconds. A later one was written under a clock that was wrong. */
export function restorableTimes({ now }: Pick<AppContext, 'now'>): { since: number; until: number } {
  const time = now();
  return { since: time - restorableSeconds * 1000, until: time + lockSkewMs };
}

/** The same of deletions whose time is stored as a text. */
export function restorableTexts(context: Pick<AppContext, 'now'>): { gte: string; lte: string } {
  const { since, until } = restorableTimes(context);
  return { gte: new Date(since).toISOString(), lte: new Date(until).toISOString() };
}
