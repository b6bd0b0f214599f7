// How a call ended, from what its row remembers: how the relay ended it, and what the last try met.
import type { Log } from '#shared/logs.ts';
import { isCall, otherOf, triesOf } from './log-facts.ts';

/** The first group got no answer; what of the second had arrived is charged. */
export const endings = [
  'well',
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

  'truncated',
  'stalled',
  'upstream_error',
  'invalid_answer',
  'invalid_usage',
  'client_closed',
  'overdraft',
  'other',
] as const;
export type Ending = (typeof endings)[number];

export function endingOf(log: Log): Ending {
  const ending = otherOf(log)?.ending;
  if (ending === undefined || ending === '') return 'well';
  const hasUsage = log.prompt_tokens + log.completion_tokens > 0;
  if (ending === 'client_closed') return hasUsage ? 'client_closed' : 'client_left';
  if (ending === 'upstream_error' && !hasUsage) return failureOfTries(log);
  return endings.find((name) => name === ending) ?? 'other';
}

const accountStatuses = new Set([401, 402, 403]);

/** Why nothing came of it: what the last try met is what the caller was told. */
function failureOfTries(log: Log): Ending {
  const last = triesOf(log).at(-1)?.attempt;
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
  return withStatus.has(endingOf(log)) ? triesOf(log).at(-1)?.attempt.status : undefined;
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

const problemPattern = /^模型(?:倍率|价格)[^（]*（([^]+)）$/;
const ownWords: ReadonlySet<Ending> = new Set(['unreachable', 'timed_out', 'unreadable', 'client_left', 'client_closed', 'well', 'failed']);

/** What the upstream said, in its own words: the row's text ends with it, in brackets. */
export function upstreamWords(log: Log): string | undefined {
  return ownWords.has(endingOf(log)) ? undefined : problemPattern.exec(log.content)?.[1];
}
