// Quarters of folded hours, for time zones whose days and hours begin within a UTC hour. An hourly record includes the
// sums of its later quarters; hours of earlier versions have none, and count as their first quarter.
import type { GroupRow } from '#server/db/collection.ts';
import type { CallSums, HourSums } from '#server/db/records/call-sums.ts';
import { addSums, emptySums, hourOf, hourSeconds, quarterSeconds } from './rollup-shape.ts';

const laterQuarters = ['second', 'third', 'fourth'] as const;
const sumNames = ['calls', 'errors', 'quota', 'prompt_tokens', 'completion_tokens', 'first_byte_ms', 'duration_ms'] as const;

/** Sums of a whole hour or a part. */
export interface TimedSums {
  /** Start in unix seconds, and length. */
  start: number;
  seconds: number;
  sums: CallSums;
}

/** Hours that contain one of these times. */
export function cutHours(moments: Iterable<number>): Set<number> {
  const hours = new Set<number>();
  for (const moment of moments) if (moment % hourSeconds !== 0) hours.add(hourOf(moment));
  return hours;
}

export function nextHour(seconds: number): number {
  return Math.ceil(seconds / hourSeconds) * hourSeconds;
}

/** Starts of the quarters of an hour. */
export function quartersOf(hour: number): number[] {
  return Array.from({ length: hourSeconds / quarterSeconds }, (_, index) => hour + index * quarterSeconds);
}

/** The hour, or its quarters if it is split. */
export function partsOf(hour: number, isCut: boolean): { start: number; seconds: number }[] {
  return isCut ? quartersOf(hour).map((start) => ({ start, seconds: quarterSeconds })) : [{ start: hour, seconds: hourSeconds }];
}

/** Adds sums of one quarter, 0 to 3, to its hour. */
export function addQuarter(to: HourSums, quarter: number, sums: CallSums): void {
  addSums(to, sums);
  const name = laterQuarters[quarter - 1];
  if (name !== undefined) addPart(to, name, sums);
}

/** Adds an hour with its quarters. */
export function addHour(to: HourSums, from: HourSums): void {
  addSums(to, from);
  for (const name of laterQuarters) {
    const part = from.quarters?.[name];
    if (part !== undefined) addPart(to, name, part);
  }
}

/** Omits zeros. */
function addPart(to: HourSums, quarter: (typeof laterQuarters)[number], sums: Partial<CallSums>): void {
  const quarters = (to.quarters ??= {});
  const known = (quarters[quarter] ??= {});
  for (const name of sumNames) {
    const sum = (known[name] ?? 0) + (sums[name] ?? 0);
    if (sum !== 0) known[name] = sum;
    else delete known[name];
  }
}

type QuarterPath = `quarters.${(typeof laterQuarters)[number]}.${keyof CallSums}`;

/** Sum columns for hourly records; `inQuarters` reads the result. */
export function quarterSumsOf(names: readonly (keyof CallSums)[] = sumNames): Record<string, QuarterPath> {
  return Object.fromEntries(
    laterQuarters.flatMap((quarter) => names.map((name) => [`${quarter}_${name}`, `quarters.${quarter}.${name}` as const])),
  );
}

/** Splits an hour into quarters. `later`: sums of the later ones, if any. */
export function inQuarters(hour: number, whole: CallSums, later: GroupRow | undefined): TimedSums[] {
  const first = { ...whole };
  const others = laterQuarters.map((quarter) => {
    const sums = emptySums();
    for (const name of sumNames) {
      sums[name] = Number(later?.[`${quarter}_${name}`] ?? 0);
      first[name] -= sums[name];
    }
    return sums;
  });
  return [first, ...others].map((sums, index) => ({ start: hour + index * quarterSeconds, seconds: quarterSeconds, sums }));
}
