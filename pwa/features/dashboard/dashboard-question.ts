// Questions of the dashboard, from its search parameters. Spans are stored as names, so that stored responses do not depend on the clock.
import { midnight, monthStart } from '#pwa/ui/local-days.ts';
import type { DashboardSearch, DashboardSpan, DashboardSplit, DashboardStep } from './dashboard-search.ts';

export interface DashboardQuestion {
  /** Everybody's calls, or one's own. */
  isAdmin: boolean;
  span: DashboardSpan;
  from: number | undefined;
  to: number | undefined;
  step: DashboardStep;
  by: DashboardSplit;
  user: string | undefined;
}

const daySeconds = 86_400;
const spanDays: Record<Exclude<DashboardSpan, 'this_month' | 'last_month' | 'custom'>, number> = { day: 1, week: 7, month: 30 };
/** The span with which the site's usual step is at home. */
const usualSpan: Record<DashboardStep, DashboardSpan> = { hour: 'day', day: 'week', week: 'month' };
/** More hours than that are a thicket of bars. */
const mostHours = 8 * 24;
export const longestDays = 93;

export function questionOf(search: DashboardSearch, options: { isAdmin: boolean; usualStep: DashboardStep }): DashboardQuestion {
  const isAdmin = options.isAdmin && search.own !== true;
  const span = search.span ?? usualSpan[options.usualStep];
  const { from, to } = span === 'custom' ? search : { from: undefined, to: undefined };
  const step =
    search.step ?? (span === 'day' ? 'hour' : span === 'custom' ? stepWithin(from, to) : options.usualStep === 'week' ? 'week' : 'day');
  const user = isAdmin ? search.user : undefined;
  const by = search.by ?? 'model';
  const isForAll = by === 'channel' || by === 'user';
  return { isAdmin, span, from, to, step, user, by: (isForAll && !isAdmin) || (by === 'user' && user !== undefined) ? 'model' : by };
}

function stepWithin(from: number | undefined, to: number | undefined): DashboardStep {
  return from !== undefined && (to ?? Date.now() / 1000) - from <= 2 * daySeconds ? 'hour' : 'day';
}

/** Unix seconds. Days are local: the seven days of a week end with today. `isLong`: longer than the server accepts. */
export function boundsOf({ span, from, to, step }: DashboardQuestion, now: number): { start: number; end: number; isLong: boolean } {
  const last = span === 'last_month' ? monthStart(now) - 1 : to;
  const end = Math.min(last ?? Math.floor(now / 1000), Math.floor(now / 1000));
  const requested = startOf(span, { from: from ?? end - 7 * daySeconds, step, now });
  const start = Math.min(requested, end);
  return { start, end, isLong: end - start > longestDays * daySeconds };
}

function startOf(span: DashboardSpan, { from, step, now }: { from: number; step: DashboardStep; now: number }): number {
  if (span === 'custom') return from;
  if (span === 'this_month') return monthStart(now);
  if (span === 'last_month') return monthStart(now, -1);
  const days = spanDays[span];
  if (days === 1 && step === 'hour') return Math.floor(now / 1000) - (daySeconds - 3600);
  return midnight(now, 1 - days);
}

/** Which steps a span may be cut into. */
export function stepsFor(question: DashboardQuestion, now: number): DashboardStep[] {
  const { start, end } = boundsOf({ ...question, step: 'day' }, now);
  const hours = (end - start) / 3600;
  return [...(hours <= mostHours ? (['hour'] as const) : []), 'day', ...(hours > 7 * 24 ? (['week'] as const) : [])];
}
