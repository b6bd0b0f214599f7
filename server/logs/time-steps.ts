// Divides a time span into hours, or into days and weeks of the user's time zone.
import type { QueryOf } from '#shared/contract.ts';
import { type dashboardApi, longestUsageSeconds, mostUsageSteps, type UsageStep } from '#shared/dashboard.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { zoneClock } from '#server/clock/zone-clock.ts';
import { daySeconds, hourSeconds } from './rollup-shape.ts';

type Zone = Pick<Partial<QueryOf<typeof dashboardApi.figures>>, 'utc_offset' | 'time_zone'>;
type Query = Zone & Pick<Partial<QueryOf<typeof dashboardApi.figures>>, 'start_timestamp' | 'end_timestamp'>;

const stepSeconds: Record<UsageStep, number> = { hour: hourSeconds, day: daySeconds, week: 7 * daySeconds };
/** 1970 began on a Thursday; weeks begin on Monday. */
const sinceMonday = 3 * daySeconds;

/** Starts of the steps, unix seconds. */
export interface Frame {
  steps: number[];
  start: number;
  /** End of the last step, and end of known data. */
  end: number;
  known: number;
  /** Length of a step without a clock change. */
  seconds: number;
  at: number;
  /** The same number of previous steps: hours, or days and weeks of the same clock. */
  before: Steps;
}

export type Steps = Pick<Frame, 'steps' | 'start' | 'end' | 'seconds'>;

/** @throws {AppError} `invalid_field` */
export function frameOf(query: Query, step: UsageStep, at: number): Frame {
  const { start_timestamp: requested, end_timestamp: until, utc_offset: minutes, time_zone: zone } = query;
  const seconds = stepSeconds[step];
  const last = Math.min(until === undefined || until === 0 ? at : until, at);
  const first = requested === undefined || requested === 0 ? last - daySeconds : requested;
  if (first > last) throw invalidField('start_timestamp', fieldRules.invalid);
  if (last - first > longestUsageSeconds) throw invalidField('start_timestamp', fieldRules.invalid);
  const clock = zone === undefined ? undefined : zoneClock(zone);
  if (clock === null && minutes === undefined && step !== 'hour') throw invalidField('time_zone', fieldRules.invalid);
  const aheadAt = clock ?? (() => (minutes ?? 0) * 60);
  const known = (Math.floor(at / hourSeconds) + 1) * hourSeconds;
  if (step === 'hour') {
    const steps = [first - modulo(first + aheadAt(first), seconds)];
    // A clock change does not alter the length of hours, unless it is by part of an hour.
    const nextOf = (time: number) => time + seconds - modulo(time + aheadAt(time), seconds);
    let next = nextOf(steps[0] ?? first);
    for (; next < last || (next === last && last === at); next = nextOf(next)) steps.push(next);
    checkCount(steps);
    const start = steps[0] ?? first;
    const length = next - start;
    const before = { steps: steps.map((time) => time - length), start: start - length, end: start, seconds };
    return { steps, start, end: next, known, seconds, at, before };
  }
  const shift = step === 'week' ? sinceMonday : 0;
  // Local days always have 24 hours on the clock.
  const wall = Math.floor((first + aheadAt(first) + shift) / seconds) * seconds - shift;
  const momentOf = (time: number) => momentOn(aheadAt, time);
  const steps = [momentOf(wall)];
  let next = wall + seconds;
  // A month ends at 00:00 of the next one's first day, which is not included.
  for (let time = momentOf(next); time < last || (time === last && last === at); time = momentOf(next)) {
    steps.push(time);
    next += seconds;
  }
  checkCount(steps);
  const start = steps[0] ?? first;
  const earlier = steps.map((_, index) => momentOf(wall - (steps.length - index) * seconds));
  const before = { steps: earlier, start: earlier[0] ?? start, end: start, seconds };
  return { steps, start, end: momentOf(next), known, seconds, at, before };
}

function checkCount(steps: readonly number[]): void {
  if (steps.length > mostUsageSteps) throw invalidField('step', fieldRules.invalid);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** Time at which the local clock shows a value, or skips it. */
function momentOn(aheadAt: (time: number) => number, wall: number): number {
  const first = wall - aheadAt(wall);
  const moment = wall - aheadAt(first);
  return moment + aheadAt(moment) < wall ? Math.max(first, moment) : moment;
}

/** Index of the step of a time; -1 if none. */
export function placeOf({ steps, start, end, seconds }: Steps, time: number): number {
  if (time < start || time >= end) return -1;
  // After a clock change, the adjacent step.
  const near = Math.min(Math.floor((time - start) / seconds), steps.length - 1);
  if ((steps[near + 1] ?? end) <= time) return near + 1;
  return time < (steps[near] ?? start) ? near - 1 : near;
}

/** `YYYY-MM-DD` of a time (unix seconds) in the zone of a query; in UTC if it names none, or one that is unknown here. */
export function dayIn({ utc_offset: minutes, time_zone: zone }: Zone, time: number): string {
  const ahead = (zone === undefined ? null : zoneClock(zone))?.(time) ?? (minutes ?? 0) * 60;
  return new Date((time + ahead) * 1000).toISOString().slice(0, 10);
}
