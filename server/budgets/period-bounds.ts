// Beginnings and ends of a budget's periods, in the calendar of a time zone or from a first call.
import type { Budget } from '#shared/budgets.ts';
import { zoneClock } from '#server/clock/zone-clock.ts';

/** Unix seconds; `ends_at` is 0 for a period without an end. */
export interface PeriodBounds {
  starts_at: number;
  ends_at: number;
}

type Terms = Pick<Budget, 'period' | 'starts' | 'time_zone'>;

const daySeconds = 86_400;
const lengths = { five_hours: 5 * 3600, day: daySeconds, week: 7 * daySeconds } as const;

/** Text of what determines the periods: those of budgets with equal texts are the same. */
export function termsOf({ period, starts, time_zone: zone = 'UTC' }: Terms): string {
  if (period === 'once' || period === 'five_hours') return period;
  return starts === 'first_call' ? `${period} first_call` : `${period} calendar ${zone}`;
}

/** Returns the period of a moment, or the one that a call of that moment begins. */
export function periodAt({ period, starts, time_zone: zone = 'UTC' }: Terms, now: number): PeriodBounds {
  if (period === 'once') return { starts_at: now, ends_at: 0 };
  if (period === 'five_hours' || starts === 'first_call') {
    return { starts_at: now, ends_at: period === 'month' ? monthAfter(now) : now + lengths[period] };
  }
  // A zone that is unknown here has the days of UTC.
  const aheadAt = zoneClock(zone) ?? (() => 0);
  const day = new Date((now + aheadAt(now)) * 1000);
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
  // Monday is the first day of a week.
  const first = period === 'month' ? 1 : period === 'week' ? date - ((day.getUTCDay() + 6) % 7) : date;
  const next = period === 'month' ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, first + (period === 'week' ? 7 : 1));
  return {
    // An hour before midnight that repeats belongs to the day before.
    starts_at: Math.min(now, beginningOf(aheadAt, Date.UTC(year, month, first) / 1000)),
    ends_at: beginningOf(aheadAt, next / 1000),
  };
}

/** Moment at which the local clock shows this midnight: the last of those that a clock change repeats, the change if it skips midnight. */
function beginningOf(aheadAt: (time: number) => number, wall: number): number {
  const [before, after] = [wall - aheadAt(wall - daySeconds), wall - aheadAt(wall + daySeconds)];
  const shown = [before, after].filter((moment) => moment + aheadAt(moment) === wall);
  return shown.length === 0 ? before : Math.max(...shown);
}

/** Same time of the same day of the next month, or of its last day, in UTC. */
function monthAfter(now: number): number {
  const from = new Date(now * 1000);
  const to = new Date(now * 1000);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + 1);
  const days = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), days));
  return Math.floor(to.getTime() / 1000);
}
