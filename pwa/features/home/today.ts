// Today by the hour, beside yesterday.
import { noUsage, type UsageFigures, type UsageSums } from '#shared/dashboard.ts';

export interface TodayHour {
  /** Unix seconds. */
  start: number;
  /** Undefined: it has not begun. */
  today: UsageSums | undefined;
  yesterday: UsageSums;
  /** It is not over. */
  isNow: boolean;
}

const hourSeconds = 3600;

/** Of figures by the hour that begin with yesterday: the hours of today from `midnight` (unix seconds) to the next one. */
export function hoursOfToday(figures: Pick<UsageFigures, 'steps' | 'whole' | 'at'>, midnight: number, tomorrow: number): TodayHour[] {
  const byHour = new Map(figures.steps.map((start, index) => [start, figures.whole[index] ?? noUsage]));
  const hours: TodayHour[] = [];
  for (let start = midnight; start < tomorrow; start += hourSeconds) {
    const hasBegun = start <= figures.at;
    hours.push({
      start,
      today: hasBegun ? (byHour.get(start) ?? noUsage) : undefined,
      yesterday: byHour.get(start - 24 * hourSeconds) ?? noUsage,
      isNow: hasBegun && figures.at < start + hourSeconds,
    });
  }
  return hours;
}

export interface TodaySums {
  quota: number;
  calls: number;
  errors: number;
  /** By how much more was spent than yesterday by now, as a share; undefined where there is nothing to compare with. */
  change: number | undefined;
  callsChange: number | undefined;
  /** The hour with most failures. */
  worst: TodayHour | undefined;
}

export function sumsOfToday(hours: readonly TodayHour[]): TodaySums {
  const over = hours.filter((hour) => hour.today !== undefined && !hour.isNow);
  const sum = (list: readonly TodayHour[], value: (hour: TodayHour) => number) => list.reduce((total, hour) => total + value(hour), 0);
  const change = (field: 'quota' | 'calls') => {
    const before = sum(over, (hour) => hour.yesterday[field]);
    return before === 0 ? undefined : sum(over, (hour) => hour.today?.[field] ?? 0) / before - 1;
  };
  const worst = hours.reduce<TodayHour | undefined>(
    (found, hour) => ((hour.today?.errors ?? 0) > (found?.today?.errors ?? 0) ? hour : found),
    undefined,
  );
  return {
    quota: sum(hours, (hour) => hour.today?.quota ?? 0),
    calls: sum(hours, (hour) => hour.today?.calls ?? 0),
    errors: sum(hours, (hour) => hour.today?.errors ?? 0),
    change: change('quota'),
    callsChange: change('calls'),
    worst,
  };
}
