// Decides what follows an upstream failure: whether to retry on another channel, whether to disable the channel, and
// whose error text the caller gets.
import type { FailureReason } from '#shared/failure-reasons.ts';
import { accountStatuses, statusesOfChannel } from '#server/formats/status-in-body.ts';
import { accountCodes, quotaTypes } from './forbidden.ts';
import type { Provider } from '#server/providers/spec.ts';
import { failureReason, type UpstreamFailure } from './upstream-error.ts';

const accountTypes = [...quotaTypes, 'permission_error', 'forbidden'];
/** Error name in the log for an account refusal without a code. */
const refused = 'channel_refused';
/** Codes and types by which upstreams refuse the channel's account. */
export const accountErrors: ReadonlySet<string> = new Set([...accountCodes, ...accountTypes, refused]);

/** Part of a provider's record that matters here; null without a provider. */
type Refusing = Pick<Provider, 'refusals'> | null;

/** Reports whether another channel may succeed. Never called after the first byte was sent to the client. */
export function isRetryable(failure: UpstreamFailure, provider: Refusing): boolean {
  if (failure.kind === 'network' || failure.kind === 'invalid') return true;
  const { status, upstreamStatus } = failure;
  if (status === 429) return true;
  // The upstream accepted and bills the request; a retry would be billed again. The channel's status mapping may
  // override this.
  if (isTakenUnread(upstreamStatus) && status === unmapped) return false;
  // After such a timeout the upstream may still be working on the request.
  if (status === 504 || status === 524 || status === 408) return false;
  if (status >= 500) return true;
  // A bad request fails on every channel, unless it is the channel's account that is refused, which some providers
  // report as 400. Providers that validate bodies by a schema, such as Mistral and vLLM, send 422.
  if (status === 400 || status === 422)
    return failure.concerns !== 'request' && (provider?.refusals?.retried?.includes(status) === true || hasAccountCode(failure));
  return status >= 300;
}

/** Status that `parseUpstreamError` gives to a success. */
const unmapped = 502;

/** A success status without a response: the upstream has accepted the request. */
export function isTakenUnread(upstreamStatus: number): boolean {
  return upstreamStatus > 200 && upstreamStatus < 300;
}

/** Reports whether a refusal may be about one caller's request as well as about the channel. */
export function isUnclear({
  kind,
  status,
  upstreamStatus,
  concerns,
}: Pick<UpstreamFailure, 'kind' | 'status' | 'upstreamStatus' | 'concerns'>): boolean {
  return kind === 'response' && (status === 403 || upstreamStatus === 403) && concerns === undefined;
}

/** Context in which a failure occurred. */
export interface RefusalWitness {
  callerText: () => string | null;
  /** Other callers were refused alike, or the call was a test of the channel. */
  isConfirmed: boolean;
}

/**
 * Reason to disable the channel, or null. Upstreams quote callers in refusals, so keywords count only if the status
 * blames the channel and the caller did not write them.
 *
 * A 403 of unknown cause counts only if `isConfirmed`: one caller alone may have caused it.
 *
 * @param callerText everything that the caller sent, as one text; null if it is too long to search, so that no keyword
 * counts
 */
export function autoDisableReason(
  failure: UpstreamFailure,
  { provider, keywords, callerText, isConfirmed }: RefusalWitness & { provider: Refusing; keywords: readonly string[] },
): FailureReason | null {
  if (failure.kind !== 'response' || failure.concerns === 'request' || failure.concerns === 'model') return null;
  const isRefused =
    failure.status === 401 ||
    provider?.refusals?.codesOfKey?.includes(String(failure.code)) === true ||
    (refusesAccount(failure, provider) && (isConfirmed || !isUnclear(failure))) ||
    (isAboutChannel(failure) && hasKeyword(failure, keywords) && hasKeyword(failure, unwritten(keywords, callerText())));
  return isRefused ? failureReason(failure) : null;
}

/**
 * Reports whether the upstream refuses the channel's account: its key, balance or permissions. Callers then get the
 * gateway's error text. A quoted keyword may match here, because nothing else follows from it.
 */
export function refusesChannel(failure: UpstreamFailure, keywords: readonly string[]): boolean {
  if (failure.kind !== 'response' || failure.concerns === 'request') return false;
  if (accountStatuses.has(failure.status) || accountStatuses.has(failure.upstreamStatus)) return true;
  return hasAccountCode(failure) || hasKeyword(failure, keywords);
}

const statusesOfRequest: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Reports whether the upstream refuses the request rather than the gateway. */
export function refusesRequest(failure: UpstreamFailure, keywords: readonly string[]): boolean {
  if (failure.kind !== 'response') return false;
  if (failure.concerns === 'request') return true;
  return failure.concerns === undefined && statusesOfRequest.has(failure.status) && !refusesChannel(failure, keywords);
}

/** Error name in the log: one of `accountErrors` for account refusals. */
export function nameOf(failure: UpstreamFailure, keywords: readonly string[]): string {
  if (accountTypes.includes(failure.type)) return failure.type;
  const name = String(failure.code ?? failure.errorCode ?? failure.type);
  // The name is added only if the status does not imply an account refusal.
  const isHidden = failure.upstreamStatus === 200 || !accountStatuses.has(failure.upstreamStatus);
  return isHidden && !accountErrors.has(name) && refusesChannel(failure, keywords) ? refused : name;
}

/** Checks both the original and the mapped status; for an error in a body of status 200, only its own. */
function isAboutChannel({ status, upstreamStatus }: UpstreamFailure): boolean {
  return statusesOfChannel.has(status) && (upstreamStatus === 200 || statusesOfChannel.has(upstreamStatus));
}

/** Searches for keywords, except in rate limits with a retry time: Google calls per-minute limits a quota, too. */
function hasKeyword({ message, upstreamStatus, retryAfter }: UpstreamFailure, keywords: readonly string[]): boolean {
  if (upstreamStatus === 429 && retryAfter !== undefined) return false;
  const text = message.toLowerCase();
  return keywords.some((keyword) => keyword.trim() !== '' && text.includes(keyword.trim().toLowerCase()));
}

/** Keywords that the caller did not write word by word; upstreams may quote single words. */
function unwritten(keywords: readonly string[], callerText: string | null): string[] {
  if (callerText === null) return [];
  const text = callerText.toLowerCase();
  // Both sides are JSON, so quotes and line breaks are escaped alike.
  const isWritten = (word: string) => text.includes(JSON.stringify(word.toLowerCase()).slice(1, -1));
  return keywords.filter((keyword) => !keyword.trim().split(/\s+/).every(isWritten));
}

function refusesAccount(failure: UpstreamFailure, provider: Refusing): boolean {
  return hasAccountCode(failure) || provider?.refusals?.ofAccount?.includes(failure.status) === true;
}

function hasAccountCode(failure: UpstreamFailure): boolean {
  return (typeof failure.code === 'string' && accountCodes.includes(failure.code)) || accountTypes.includes(failure.type);
}
