// What follows from a failure of an upstream: whether another channel may do better, whether the channel is taken out of use, and
// in whose words it is told.
import type { FailureReason } from '#shared/failure-reasons.ts';
import { accountStatuses, statusesOfChannel } from '#server/formats/status-in-body.ts';
import { accountCodes, quotaTypes } from './forbidden.ts';
import type { Provider } from '#server/providers/spec.ts';
import { failureReason } from './upstream-error.ts';
import type { UpstreamFailure } from './upstream-error.ts';

const accountTypes = [...quotaTypes, 'permission_error', 'forbidden'];
/** What the log calls the refusal of an account that has no code of its own. */
const refused = 'channel_refused';
/** The codes and types by which upstreams say that the account that calls them is refused: the channel's. */
export const accountErrors: ReadonlySet<string> = new Set([...accountCodes, ...accountTypes, refused]);

/** What of a provider's record matters here; null: of none. */
type Refusing = Pick<Provider, 'refusals'> | null;

/** Whether another channel may do better. Never asked after the first byte has gone to the client. */
export function isRetryable(failure: UpstreamFailure, provider: Refusing): boolean {
  if (failure.kind === 'network' || failure.kind === 'invalid') return true;
  const { status, upstreamStatus } = failure;
  if (status === 429) return true;
  // Taken, and billed: another one would be paid for the same once more. The channel's mapping may know better.
  if (isTakenUnread(upstreamStatus) && status === unmapped) return false;
  // These took so long that the upstream may still be working on it.
  if (status === 504 || status === 524 || status === 408) return false;
  if (status >= 500) return true;
  // A bad request is bad everywhere, unless it is the channel's account that is refused: one for what it asks may have an account's name.
  // Services that check bodies by a schema, Mistral and vLLM among them, say 422.
  if (status === 400 || status === 422)
    return failure.concerns !== 'request' && (provider?.refusals?.retried?.includes(status) === true || speaksOfAccount(failure));
  return status >= 300;
}

/** What `parseUpstreamError` makes of a success. */
const unmapped = 502;

/** A success that holds no response: the upstream has done what it was asked to do, or is going to. */
export function isTakenUnread(upstreamStatus: number): boolean {
  return upstreamStatus > 200 && upstreamStatus < 300;
}

/** Refused, and it may be for what one caller asked as well as for the channel itself. */
export function isUnclear({
  kind,
  status,
  upstreamStatus,
  concerns,
}: Pick<UpstreamFailure, 'kind' | 'status' | 'upstreamStatus' | 'concerns'>): boolean {
  return kind === 'response' && (status === 403 || upstreamStatus === 403) && concerns === undefined;
}

/** Who has seen a failure. */
export interface RefusalWitness {
  callerText: () => string | null;
  /** Others were refused alike, or nobody else's call was it: a test of the channel. */
  isConfirmed: boolean;
}

/**
 * Why the channel should be taken out of use for good, or null. Upstreams quote what a caller sent when they refuse a request,
 * so keywords count only where the status says that it is the channel that is refused, and where the caller has not written
 * their words.
 *
 * A 403 that does not tell what it is about counts only when it is `isConfirmed`: one caller alone may have brought it about.
 *
 * @param callerText everything that the caller sent, as one text; null when it is too long to be looked through: then no keyword counts
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
 * Whether the upstream speaks of the channel's own account: its key, its balance, its rights. Callers read our words then.
 * Here a keyword may have been quoted: nothing follows from it but other words for who wrote it.
 */
export function refusesChannel(failure: UpstreamFailure, keywords: readonly string[]): boolean {
  if (failure.kind !== 'response' || failure.concerns === 'request') return false;
  if (accountStatuses.has(failure.status) || accountStatuses.has(failure.upstreamStatus)) return true;
  return speaksOfAccount(failure) || hasKeyword(failure, keywords);
}

const statusesOfRequest: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Whether the upstream refuses the request, and not whoever passes it on. */
export function refusesRequest(failure: UpstreamFailure, keywords: readonly string[]): boolean {
  if (failure.kind !== 'response') return false;
  if (failure.concerns === 'request') return true;
  return failure.concerns === undefined && statusesOfRequest.has(failure.status) && !refusesChannel(failure, keywords);
}

/** What the log calls a failure: one of `accountErrors` when it is the account's. */
export function nameOf(failure: UpstreamFailure, keywords: readonly string[]): string {
  if (accountTypes.includes(failure.type)) return failure.type;
  const name = String(failure.code ?? failure.errorCode ?? failure.type);
  // Where the status does not say so already.
  const isHidden = failure.upstreamStatus === 200 || !accountStatuses.has(failure.upstreamStatus);
  return isHidden && !accountErrors.has(name) && refusesChannel(failure, keywords) ? refused : name;
}

/** Both as it came and as the channel's mapping has it; in a body of status 200 the error itself says it. */
function isAboutChannel({ status, upstreamStatus }: UpstreamFailure): boolean {
  return statusesOfChannel.has(status) && (upstreamStatus === 200 || statusesOfChannel.has(upstreamStatus));
}

/** A limit that says when it ends is none of the account, whatever else it says: Google calls that of a minute a quota, too. */
function hasKeyword({ message, upstreamStatus, retryAfter }: UpstreamFailure, keywords: readonly string[]): boolean {
  if (upstreamStatus === 429 && retryAfter !== undefined) return false;
  const text = message.toLowerCase();
  return keywords.some((keyword) => keyword.trim() !== '' && text.includes(keyword.trim().toLowerCase()));
}

/** Those of which the caller has not written every word: an upstream may quote words one by one. */
function unwritten(keywords: readonly string[], callerText: string | null): string[] {
  if (callerText === null) return [];
  const text = callerText.toLowerCase();
  // Both sides are JSON, so that quotes and line ends are escaped alike.
  const isWritten = (word: string) => text.includes(JSON.stringify(word.toLowerCase()).slice(1, -1));
  return keywords.filter((keyword) => !keyword.trim().split(/\s+/).every(isWritten));
}

function refusesAccount(failure: UpstreamFailure, provider: Refusing): boolean {
  return speaksOfAccount(failure) || provider?.refusals?.ofAccount?.includes(failure.status) === true;
}

function speaksOfAccount(failure: UpstreamFailure): boolean {
  return (typeof failure.code === 'string' && accountCodes.includes(failure.code)) || accountTypes.includes(failure.type);
}
