// How a call ended, from what its row remembers: how the relay ended it, and what the last try met.
import { isCall, otherOf, attemptsOf } from './log-other.ts';
import { type Attempt, CallEnding, type Log } from './logs.ts';

/** Endings of a call without a result, by the failure of the last attempt; `client_left`: the client had disconnected. */
const fruitless = [
  'refused',
  'account_refused',
  'rate_limited',
  'upstream_fault',
  'error_inside',
  'unreachable',
  'timed_out',
  'unreadable',
  'broke_off',
  'failed',
  'client_left',
] as const;

/** Of the endings that the relay knows, what had arrived is charged. `other`: one that is newer than this client. */
const endings = ['well', ...fruitless, ...CallEnding.options, 'other'] as const;
export type Ending = (typeof endings)[number];

export function endingOf(log: Log): Ending {
  const ending = otherOf(log)?.ending;
  if (ending === undefined || ending === '') return 'well';
  const hasUsage = log.prompt_tokens + log.completion_tokens > 0;
  if (ending === 'client_closed') return hasUsage ? 'client_closed' : 'client_left';
  if (ending === 'upstream_error' && !hasUsage) return failureOfTries(log);
  return CallEnding.safeParse(ending).data ?? 'other';
}

const accountStatuses = new Set([401, 402, 403]);

/** Returns the last attempt that was sent to a provider. */
function lastRequested(log: Log): Attempt | undefined {
  return attemptsOf(log).findLast(({ attempt }) => attempt.unsent !== true)?.attempt;
}

/** Returns the failure of the last attempt, which is also the one that the caller received. */
function failureOfTries(log: Log): Ending {
  const last = lastRequested(log);
  if (last === undefined) return 'failed';
  if (last.error === 'upstream_timeout' || last.status === 408 || last.status === 504 || last.status === 524) return 'timed_out';
  if (last.error === 'invalid_upstream_response') return 'unreadable';
  if (last.status === 0) return 'unreachable';
  // A stream has its first byte only once it was passed on.
  if (last.status < 300) return log.is_stream && last.first_byte_ms !== undefined ? 'broke_off' : 'error_inside';
  if (last.status === 429) return 'rate_limited';
  if (accountStatuses.has(last.status)) return 'account_refused';
  return last.status >= 400 && last.status < 500 ? 'refused' : 'upstream_fault';
}

const withStatus: ReadonlySet<Ending> = new Set(['refused', 'account_refused', 'rate_limited', 'upstream_fault']);

/** The status that the upstream refused the call with; undefined where it answered something else, or nothing. */
export function failureStatus(log: Log): number | undefined {
  return withStatus.has(endingOf(log)) ? lastRequested(log)?.status : undefined;
}

/** What became of the money of a call that did not end well. */
export function chargeOf(log: Log): 'none' | 'received' | 'counted' {
  if (log.quota === 0) return 'none';
  return endingOf(log) === 'invalid_usage' ? 'counted' : 'received';
}

/** Nothing came of the call, and nothing was charged. */
export function isFree(log: Log): boolean {
  return isCall(log) && log.quota === 0 && log.prompt_tokens + log.completion_tokens === 0 && endingOf(log) !== 'well';
}

const ownWords: ReadonlySet<Ending> = new Set([
  'unreachable',
  'timed_out',
  'unreadable',
  'invalid_answer',
  'client_left',
  'client_closed',
  'shutdown',
  'unsendable',
  'fault',
  'well',
  'failed',
]);

/** Returns why no provider could be called, in the gateway's words; undefined in rows of an earlier server. */
export function unsentReason(log: Log): string | undefined {
  return endingOf(log) === 'unsendable' ? otherOf(log)?.problem : undefined;
}

/** Returns the upstream's error message; undefined if the message is the gateway's. */
export function upstreamWords(log: Log): string | undefined {
  return ownWords.has(endingOf(log)) ? undefined : otherOf(log)?.problem;
}
