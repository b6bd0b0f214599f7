// Signs of life of work that a process does for all: while it lives, it prolongs `alive_until` of its record, in milliseconds. A time that is farther ahead
// than that was written by a wrong clock.
import { lockSkewMs } from './clock-skew.ts';

/** Returns the filter of records whose process gives no sign of life. @param aliveMs by which it prolongs the time */
export function silentAt(now: number, aliveMs: number): { or: [{ alive_until: { lt: number } }, { alive_until: { gt: number } }] } {
  return { or: [{ alive_until: { lt: now } }, { alive_until: { gt: now + aliveMs + lockSkewMs } }] };
}

export function isAliveAt(now: number, { alive_until: until }: { alive_until: number }, aliveMs: number): boolean {
  return until >= now && until <= now + aliveMs + lockSkewMs;
}
