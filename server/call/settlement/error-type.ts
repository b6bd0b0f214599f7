// Bounded classes of how attempts end, for metrics and traces.
import { endRules } from '#server/call/call-end.ts';
import type { AttemptEnd } from '#server/call/ended-call.ts';

/** Usual statuses of upstreams, which may send any number. */
const statuses: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 424, 429, 499, 500, 501, 502, 503, 504, 520, 521, 522, 524, 529,
]);

/** Returns the class of the error that an attempt ended with; undefined if the provider answered well. `cancelled`: the call was stopped. */
export function attemptErrorType(end: AttemptEnd): string | undefined {
  if (end.kind === 'stopped') return 'cancelled';
  if (end.kind === 'answered') {
    const { logged, channel } = endRules[end.reason];
    return channel === 'well' ? undefined : channel === 'nothing' ? 'cancelled' : (logged ?? end.reason);
  }
  const { own, kind, upstreamStatus } = end.failure;
  if (own !== undefined) return 'gateway';
  return kind === 'response' ? statusType(upstreamStatus) : kind;
}

function statusType(status: number): string {
  if (statuses.has(status)) return String(status);
  return status >= 500 ? '5xx' : status >= 400 ? '4xx' : 'invalid';
}
