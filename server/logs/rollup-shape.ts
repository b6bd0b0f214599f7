// Layout of stored sums: by hour for all dimensions; by hour and day for all calls by model, channel and group; and by
// day the same for each user and token with many calls.
import { createHash } from 'node:crypto';
import type { CallSums } from '#server/db/records/call-sums.ts';

export const hourSeconds = 3600;
export const daySeconds = 24 * hourSeconds;

/** Offsets of time zones are multiples of a quarter hour. */
export const quarterSeconds = hourSeconds / 4;

/** Delay before an hour is folded: rows are written when calls end, with the time at which they began. */
export const foldLagSeconds = 600;

/** Keys of sums over all calls of an hour, and of a day (UTC). */
export const allHours = 'hour';
export const allDays = 'day';

/** Owner of calls; empty for all users. */
export interface Whose {
  userId?: number | undefined;
  tokenName?: string | undefined;
}

/** Key of daily sums of a user, of a token name, or of both. */
export function keyOf({ userId, tokenName }: Whose): string {
  if (userId === undefined) return tokenName === undefined ? allDays : `t:${tokenName}`;
  return tokenName === undefined ? `u:${userId}` : `ut:${userId}:${tokenName}`;
}

/** Key that lists the days with sums under `key`. Other days have few hourly records. */
export function daysKey(key: string): string {
  return `days:${key}`;
}

export function hourOf(seconds: number): number {
  return Math.floor(seconds / hourSeconds) * hourSeconds;
}

export function dayOf(seconds: number): number {
  return Math.floor(seconds / daySeconds) * daySeconds;
}

/** Id prefix of an hour's or day's records: sorts by time, with fixed length. */
export function timePrefix(start: number): string {
  return (start / hourSeconds).toString(36).padStart(5, '0');
}

/** Stable id of the same fields. */
export function digestOf(parts: readonly (string | number | boolean)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

export function emptySums(): CallSums {
  return { calls: 0, errors: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, first_byte_ms: 0, duration_ms: 0 };
}

export function addSums(to: CallSums, sums: CallSums): void {
  to.calls += sums.calls;
  to.errors += sums.errors;
  to.quota += sums.quota;
  to.prompt_tokens += sums.prompt_tokens;
  to.completion_tokens += sums.completion_tokens;
  to.first_byte_ms += sums.first_byte_ms;
  to.duration_ms += sums.duration_ms;
}
