// Quarters of folded hours, for zones whose days and hours begin within an hour of UTC. A record by the hour has the sums of its later
// quarters with it: of an hour that an earlier version has folded there are none, so all of it counts to its first quarter.
import type { GroupRow } from '#server/db/collection.ts';
import type { CallSums, HourSums } from '#server/db/records/call-sums.ts';
import { addSums, emptySums, hourOf, hourSeconds, quarterSeconds } from './rollup-shape.ts';

const laterQuarters = ['second', 'third', 'fourth'] as const;
const sumNames = ['calls', 'errors', 'quota', 'prompt_tokens', 'completion_tokens', 'first_byte_ms', 'duration_ms'] as const;

/** Sums of a part of an hour, or of a whole one. */
export interface TimedSums {
  /** When it began, unix seconds, and how long it is. */
  start: number;
  seconds: number;
  sums: CallSums;
}

/** The hours within which one of these moments falls. */
export function cutHours(moments: Iterable<number>): Set<number> {
  const hours = new Set<number>();
  for (const moment of moments) if (moment % hourSeconds !== 0) hours.add(hourOf(moment));
  return hours;
}

export function nextHour(seconds: number): number {
  return Math.ceil(seconds / hourSeconds) * hourSeconds;
}

/** When each quarter of an hour begins. */
export function quartersOf(hour: number): number[] {
  return Array.from({ length: hourSeconds / quarterSeconds }, (_, index) => hour + index * quarterSeconds);
}

/** An hour, or its quarters where it is cut. */
export function partsOf(hour: number, isCut: boolean): { start: number; seconds: number }[] {
  return isCut ? quartersOf(hour).map((start) => ({ start, seconds: quarterSeconds })) : [{ start: hour, seconds: hourSeconds }];
}

/** Adds sums of one quarter, 0 to 3, to those of its hour. */
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

/** Zeros are not stored. */
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

/** To be summed of records by the hour; `inQuarters` understands the result. */
export function quarterSumsOf(names: readonly (keyof CallSums)[] = sumNames): Record<string, QuarterPath> {
  return Object.fromEntries(
    laterQuarters.flatMap((quarter) => names.map((name) => [`${quarter}_${name}`, `quarters.${quarter}.${name}` as const])),
  );
}

/** The quarters of an hour. `later`: the sums of its later ones, if there are any. */
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
