// Today by the hour, compared with yesterday.
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

/**
 * Hours of today from `midnight` (unix seconds) to the next one, each with the hour of yesterday that began as long after its own midnight,
 * from figures by the hour that begin with yesterday. Either day may have 23 or 25.
 */
export function hoursOfToday(figures: Pick<UsageFigures, 'steps' | 'whole' | 'at'>, midnight: number, tomorrow: number): TodayHour[] {
  const first = figures.steps.filter((start) => start < midnight).length;
  const starts = figures.steps.filter((start) => start >= midnight && start < tomorrow);
  for (let start = (starts.at(-1) ?? midnight - hourSeconds) + hourSeconds; start < tomorrow; start += hourSeconds) starts.push(start);
  return starts.map((start, index) => {
    const hasBegun = start <= figures.at;
    return {
      start,
      today: hasBegun ? (figures.whole[first + index] ?? noUsage) : undefined,
      yesterday: (index < first ? figures.whole[index] : undefined) ?? noUsage,
      isNow: hasBegun && figures.at < (starts[index + 1] ?? tomorrow),
    };
  });
}

export interface TodaySums {
  quota: number;
  calls: number;
  errors: number;
  /**
   * Yesterday until the same time of day: of the hour that is not over the same part, as if it had been even. Nothing in the first hour of a
   * day: a part of one hour says nothing about a day.
   */
  before: { quota: number; calls: number };
  /** The hour with most failures. */
  worst: TodayHour | undefined;
}

/** `at`: when the figures were made, unix seconds. */
export function sumsOfToday(hours: readonly TodayHour[], at: number): TodaySums {
  const sum = (value: (hour: TodayHour) => number) => hours.reduce((total, hour) => total + value(hour), 0);
  const isFirstHour = hours[0] !== undefined && at < hours[0].start + hourSeconds;
  const before = (field: 'quota' | 'calls') =>
    isFirstHour ? 0 : Math.round(sum((hour) => hour.yesterday[field] * Math.min(1, Math.max(0, (at - hour.start) / hourSeconds))));
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
