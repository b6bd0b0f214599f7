// Which sums of calls are kept, and where: by the hour everything that tells calls apart; by the hour and by the day what all
// calls came to by model, channel and group; and by the day the same for each user and token that called much.
import { createHash } from 'node:crypto';
import type { CallSums } from '#server/db/records/call-sums.ts';

export const hourSeconds = 3600;
export const daySeconds = 24 * hourSeconds;

/** Zones are ahead of UTC by whole quarters of an hour. */
export const quarterSeconds = hourSeconds / 4;

/** An hour is folded this long after its end: rows are written when calls end, and carry the time at which they began. */
export const foldLagSeconds = 600;

/** Sums over all calls of an hour, and of a day (UTC). */
export const allHours = 'hour';
export const allDays = 'day';

/** Whose calls are meant; empty: everybody's. */
export interface Whose {
  userId?: number | undefined;
  tokenName?: string | undefined;
}

/** The key of the days of a user, of a token's name, or of both. */
export function keyOf({ userId, tokenName }: Whose): string {
  if (userId === undefined) return tokenName === undefined ? allDays : `t:${tokenName}`;
  return tokenName === undefined ? `u:${userId}` : `ut:${userId}:${tokenName}`;
}

/** The key under which it stands which days have sums under `key`. Other days are few records by the hour. */
export function daysKey(key: string): string {
  return `days:${key}`;
}

export function hourOf(seconds: number): number {
  return Math.floor(seconds / hourSeconds) * hourSeconds;
}

export function dayOf(seconds: number): number {
  return Math.floor(seconds / daySeconds) * daySeconds;
}

/** How the ids of the records of an hour or day begin: in the order of time, and of equal length. */
export function timePrefix(start: number): string {
  return (start / hourSeconds).toString(36).padStart(5, '0');
}

/** The same fields have the same id, however often they are written. */
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
