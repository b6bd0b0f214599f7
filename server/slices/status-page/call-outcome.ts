// Judges a call for the status page by what its caller got: answered, after retries too, or failed by no fault of the caller.
import type { EndReason } from '#server/call/call-end.ts';
import { accountErrors } from '#server/exchange/failure-consequences.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** `none`: says nothing about the model, because the caller, the request or a restart ended the call. */
export type CallOutcome = 'answered' | 'failed' | 'none';

const outcomes: Readonly<Record<Exclude<EndReason, 'upstream_failed'>, CallOutcome>> = {
  completed: 'answered',
  overdraft: 'answered',
  blocked_words: 'answered',
  client_disconnected: 'none',
  shutdown: 'none',
  unsendable: 'none',
  truncated: 'failed',
  stalled: 'failed',
  invalid_response: 'failed',
  invalid_usage: 'failed',
  no_channel: 'failed',
  fault: 'failed',
};

export function outcomeOf(reason: EndReason, failure: UpstreamFailure | undefined): CallOutcome {
  if (reason !== 'upstream_failed') return outcomes[reason];
  return failure !== undefined && isOfCaller(failure) ? 'none' : 'failed';
}

/** Statuses below 500 that blame the channel's key, account or load. */
const statusesOfChannel: ReadonlySet<number> = new Set([401, 402, 403, 408, 429]);

/** Reports whether the request is at fault: every provider would refuse it. */
function isOfCaller({ kind, status, own, concerns, code, type }: UpstreamFailure): boolean {
  if (own !== undefined) return own.status < 500;
  if (kind !== 'response') return false;
  if (concerns !== undefined) return concerns === 'request';
  if (accountErrors.has(String(code)) || accountErrors.has(type)) return false;
  return status >= 400 && status < 500 && !statusesOfChannel.has(status);
}
