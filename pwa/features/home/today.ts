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
  /** Yesterday until the same time of day: of the hour that is not over the same part, as if it had been even. */
  before: { quota: number; calls: number };
  /** The hour with most failures. */
  worst: TodayHour | undefined;
}

/** `at`: when the figures were made, unix seconds. */
export function sumsOfToday(hours: readonly TodayHour[], at: number): TodaySums {
  const sum = (value: (hour: TodayHour) => number) => hours.reduce((total, hour) => total + value(hour), 0);
  const before = (field: 'quota' | 'calls') =>
    Math.round(sum((hour) => hour.yesterday[field] * Math.min(1, Math.max(0, (at - hour.start) / hourSeconds))));
  const worst = hours.reduce<TodayHour | undefined>(
    (found, hour) => ((hour.today?.errors ?? 0) > (found?.today?.errors ?? 0) ? hour : found),
    undefined,
  );
  return {
    quota: sum((hour) => hour.today?.quota ?? 0),
    calls: sum((hour) => hour.today?.calls ?? 0),
    errors: sum((hour) => hour.today?.errors ?? 0),
    before: { quota: before('quota'), calls: before('calls') },
    worst,
  };
}
