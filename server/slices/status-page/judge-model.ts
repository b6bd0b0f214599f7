// Judges a model by its calls of the last five to ten minutes. A state changes when several judgements in a row agree (one a minute), and ends at a
// lower bound than the one at which it began, so that it does not flap.
import type { StatusState } from '#shared/status-page.ts';
import type { ModelStateRecord } from '#server/db/records/status-page.ts';
import { spanStart } from '#server/slices/status-page/figure-spans.ts';

export const rules = {
  /** Down: of so many calls so many failed, or this share. It ends below the other share. */
  calls: 10,
  failures: 5,
  downShare: 0.3,
  recoveredShare: 0.1,
  /** Slow: the median of so many first tokens is the usual one times the factor, and longer by the milliseconds. It ends below the others. */
  firstTokens: 10,
  slow: { factor: 2, milliseconds: 300 },
  recovered: { factor: 1.5, milliseconds: 200 },
  /** Judgements in a row that begin and end a disturbance. */
  timesToBegin: 2,
  timesToEnd: 3,
  /** Seconds without a call after which nothing is known, of a well model and of one that was disturbed. */
  quiet: 3600,
  quietAfterDisturbance: 1800,
} as const;

/** Calls of the window. */
export interface ModelWindow {
  answered: number;
  failed: number;
  firstTokens: number;
  /** Median of the first token, milliseconds; null without one. */
  medianMs: number | null;
  /** Median of the last seven whole days, milliseconds; null if there were few calls. */
  usualMs: number | null;
  /** Some enabled channel serves the model. */
  isServed: boolean;
}

export function isDisturbed(state: StatusState): state is 'down' | 'slow' {
  return state === 'down' || state === 'slow';
}

/** @param at unix seconds */
export function judge(id: string, before: ModelStateRecord | null, window: ModelWindow, at: number): ModelStateRecord {
  const hasCalls = window.answered + window.failed > 0;
  const record: ModelStateRecord = {
    id,
    state: before?.state ?? 'unknown',
    since: before?.since ?? at,
    called_at: hasCalls ? spanStart('s', at) : (before?.called_at ?? 0),
  };
  if (before?.summed_until !== undefined) record.summed_until = before.summed_until;
  if (!window.isServed) record.is_unserved = true;
  const found = verdict(record, window, { at, wasUnserved: before?.is_unserved === true });
  if (found === record.state) return record;
  const times = before?.pending === found ? (before.pending_times ?? 0) + 1 : 1;
  const since = before?.pending === found ? (before.pending_since ?? at) : at;
  if (times >= timesFor(record.state, found)) return { ...record, state: found, since: isDisturbed(found) ? since : at };
  return { ...record, pending: found, pending_since: since, pending_times: times };
}

function timesFor(from: StatusState, to: StatusState): number {
  if (isDisturbed(to)) return rules.timesToBegin;
  return isDisturbed(from) && to === 'operational' ? rules.timesToEnd : 1;
}

function verdict(
  { state, called_at: calledAt, since }: ModelStateRecord,
  window: ModelWindow,
  { at, wasUnserved }: { at: number; wasUnserved: boolean },
): StatusState {
  const { answered, failed, isServed } = window;
  if (!isServed) return 'down';
  const calls = answered + failed;
  const quietSeconds = at - Math.max(calledAt, isDisturbed(state) ? since : 0);
  if (calls === 0) {
    if (state === 'down' && wasUnserved) return 'unknown';
    return quietSeconds >= (isDisturbed(state) ? rules.quietAfterDisturbance : rules.quiet) ? 'unknown' : state;
  }
  const share = failed / calls;
  if (calls >= rules.calls && failed >= rules.failures && share >= rules.downShare) return 'down';
  if (state === 'down' && share >= rules.recoveredShare) return 'down';
  return isSlow(state, window) ? 'slow' : 'operational';
}

function isSlow(state: StatusState, { firstTokens, medianMs, usualMs }: ModelWindow): boolean {
  if (medianMs === null || usualMs === null) return false;
  const isAbove = ({ factor, milliseconds }: { factor: number; milliseconds: number }) =>
    medianMs > Math.max(usualMs * factor, usualMs + milliseconds);
  return state === 'slow' ? isAbove(rules.recovered) : firstTokens >= rules.firstTokens && isAbove(rules.slow);
}
