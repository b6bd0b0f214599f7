// What went wrong upstream, in the form that every error of the relay has, and what follows from it.
import { errorText } from '#shared/errors.ts';
import type { AppError, ErrorCode } from '#shared/errors.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendFailure } from './send-failure.ts';
import { accountStatuses, statusesOfChannel } from '#server/dialects/status-in-body.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';

export interface UpstreamFailure {
  /** `answer`: the upstream said so. The others are found out here: no connection, no answer in time, not an answer. */
  kind: 'answer' | 'network' | 'timeout' | 'invalid';
  /** For the client and for decisions, after the channel's status mapping. */
  status: number;
  /** What the upstream sent; 0 when it sent nothing. */
  upstreamStatus: number;
  /** Masked. */
  message: string;
  /** Set where the text is ours: it can then be rendered in the caller's language. */
  errorCode: ErrorCode | null;
  type: string;
  param: string;
  code: string | number | null;
  /** Seconds until the upstream wants to be asked again. */
  retryAfter: number | undefined;
  /** Our own refusal, where nothing was sent. */
  own?: AppError;
}

export interface ErrorAnswer {
  status: number;
  /** The body, decoded; may be cut off. */
  text: string;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
  channel: Pick<PreparedChannel, 'statusCodeMapping' | 'key' | 'base'>;
  /** Milliseconds. */
  now: number;
}

const LONGEST_MESSAGE = 4000;
/** Of a type, a parameter, a code: upstreams may quote a caller's text of any length there too. */
const LONGEST_NAME = 200;

/** An answer whose status is not 200. The body is read as loosely as providers write theirs. */
export function parseUpstreamError({ status, text, headers, channel, now }: ErrorAnswer): UpstreamFailure {
  const found = readErrorBody(parseObject(text));
  const mapped = channel.statusCodeMapping.get(status) ?? status;
  return {
    kind: 'answer',
    // A redirect or a success that is none means nothing to a client; both are the upstream's fault.
    status: mapped < 400 || mapped > 599 ? 502 : mapped,
    upstreamStatus: status,
    message: cleanMessage(found.message || `bad response status code ${status}`, channel),
    errorCode: null,
    type: cleanName(found.type ?? 'upstream_error', channel),
    param: cleanName(found.param ?? String(status), channel),
    code: found.code === undefined ? 'bad_response_status_code' : cleanCode(found.code, channel),
    retryAfter: retryAfterOf(headers, now),
  };
}

/** An error found in a body of status 200. */
export function failureInBody(
  found: { status: number; message: string; type: string; param: string; code: string | number | null },
  channel: ErrorAnswer['channel'],
): UpstreamFailure {
  return {
    ...found,
    kind: 'answer',
    upstreamStatus: 200,
    message: cleanMessage(found.message, channel),
    type: cleanName(found.type, channel),
    param: cleanName(found.param, channel),
    code: cleanCode(found.code, channel),
    errorCode: null,
    retryAfter: undefined,
  };
}

/** The connection failed before an answer began. */
export function networkFailure(): UpstreamFailure {
  return ownFailure('network', 'do_request_failed', 502);
}

/**
 * `connect`: nothing was asked yet. `first_byte`: it was asked and may be working still, so asking another would pay
 * twice. `idle`: the answer had begun.
 */
export function timeoutFailure(phase: 'connect' | 'first_byte' | 'idle'): UpstreamFailure {
  return phase === 'connect' ? networkFailure() : ownFailure('timeout', 'upstream_timeout', 504);
}

/** Why no answer came, or why it broke off. */
export function failureOfSend({ reason }: SendFailure, phase: 'first_byte' | 'idle'): UpstreamFailure {
  if (reason === 'timeout') return timeoutFailure(phase);
  return reason === 'too_large' || reason === 'unreadable' ? invalidAnswer() : networkFailure();
}

/** Status 200 with something that is no answer. */
export function invalidAnswer(): UpstreamFailure {
  return ownFailure('invalid', 'invalid_upstream_response', 502);
}

const accountCodes = ['invalid_api_key', 'account_deactivated', 'billing_not_active', 'insufficient_quota', 'insufficient_user_quota'];
const accountTypes = ['insufficient_quota', 'insufficient_user_quota', 'authentication_error', 'permission_error', 'forbidden'];
/** What the log calls the refusal of an account that has no code of its own. */
const refused = 'channel_refused';
/** The codes and types by which upstreams say that the account that calls them is refused: the channel's. */
export const accountErrors: ReadonlySet<string> = new Set([...accountCodes, ...accountTypes, refused]);
const anthropic = 14;
const gemini = 24;

/** Whether another channel may do better. Never asked after the first byte has gone to the client. */
export function isRetryable(failure: UpstreamFailure, channelType: number): boolean {
  if (failure.kind === 'network' || failure.kind === 'invalid') return true;
  const { status } = failure;
  if (status === 429) return true;
  // These took so long that the upstream may still be working on it.
  if (status === 504 || status === 524 || status === 408) return false;
  if (status >= 500) return true;
  // A bad request is bad everywhere, unless it is the channel's account that is refused.
  if (status === 400) return channelType === anthropic || speaksOfAccount(failure);
  return status >= 300;
}

/**
 * Why the channel should be taken out of use for good, or null. Upstreams quote what a caller sent when they refuse a request,
 * so keywords count only where the status says that it is the channel that is refused, and where the caller has not written
 * their words.
 *
 * @param callerText everything that the caller sent, as one text; null when it is too long to be looked through: then no keyword counts
 */
export function autoDisableReason(
  failure: UpstreamFailure,
  { channelType, keywords, callerText }: { channelType: number; keywords: readonly string[]; callerText: () => string | null },
): string | null {
  if (failure.kind !== 'answer') return null;
  const isRefused =
    failure.status === 401 ||
    (failure.status === 403 && channelType === gemini) ||
    speaksOfAccount(failure) ||
    (isAboutChannel(failure) && hasKeyword(failure, keywords) && hasKeyword(failure, unwritten(keywords, callerText())));
  return isRefused ? failure.message : null;
}

/**
 * Whether the upstream speaks of the channel's own account: its key, its balance, its rights. Callers read our words then.
 * Here a keyword may have been quoted: nothing follows from it but other words for who wrote it.
 */
export function refusesChannel(failure: UpstreamFailure, keywords: readonly string[]): boolean {
  if (failure.kind !== 'answer') return false;
  if (accountStatuses.has(failure.status) || accountStatuses.has(failure.upstreamStatus)) return true;
  return speaksOfAccount(failure) || hasKeyword(failure, keywords);
}

/** What the log calls a failure: one of `accountErrors` when it is the account's. */
export function nameOf(failure: UpstreamFailure, keywords: readonly string[]): string {
  if (accountTypes.includes(failure.type)) return failure.type;
  const name = String(failure.errorCode ?? failure.code ?? failure.type);
  // Where the status does not say so already.
  const isHidden = failure.upstreamStatus === 200 || !accountStatuses.has(failure.upstreamStatus);
  return isHidden && !accountErrors.has(name) && refusesChannel(failure, keywords) ? refused : name;
}

/** Both as it came and as the channel's mapping has it; in a body of status 200 the error itself says it. */
function isAboutChannel({ status, upstreamStatus }: UpstreamFailure): boolean {
  return statusesOfChannel.has(status) && (upstreamStatus === 200 || statusesOfChannel.has(upstreamStatus));
}

function hasKeyword({ message }: UpstreamFailure, keywords: readonly string[]): boolean {
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

function speaksOfAccount(failure: UpstreamFailure): boolean {
  return (typeof failure.code === 'string' && accountCodes.includes(failure.code)) || accountTypes.includes(failure.type);
}

interface FoundError {
  message?: string;
  type?: string;
  param?: string;
  code?: string | number | null;
}

/** The shapes in which providers report errors, the most telling first. */
function readErrorBody(body: unknown): FoundError {
  if (!isObject(body)) return {};
  const { error } = body;
  if (isObject(error)) {
    const message = nonEmpty(error.message);
    if (message !== undefined) {
      return {
        message,
        type: nonEmpty(error.type) ?? '',
        param: nonEmpty(error.param) ?? '',
        code: nonEmpty(error.code) ?? (typeof error.code === 'number' ? error.code : null),
      };
    }
  }
  const header = isObject(body.header) ? body.header.message : undefined;
  const response = isObject(body.response) && isObject(body.response.error) ? body.response.error.message : undefined;
  const first = Array.isArray(body.errors) && isObject(body.errors[0]) ? body.errors[0].message : undefined;
  const detail = Array.isArray(body.detail) && isObject(body.detail[0]) ? body.detail[0].msg : body.detail;
  const candidates = [body.message, body.msg, body.err, body.error_msg, header, response, error, first, detail];
  return { message: candidates.map(nonEmpty).find((candidate) => candidate !== undefined) };
}

function cleanName(name: string, channel: ErrorAnswer['channel']): string {
  return cleanMessage(name, channel, LONGEST_NAME);
}

function cleanCode(code: string | number | null, channel: ErrorAnswer['channel']): string | number | null {
  return typeof code === 'string' ? cleanName(code, channel) : code;
}

function cleanMessage(message: string, channel: ErrorAnswer['channel'], longest = LONGEST_MESSAGE): string {
  const cut = message.length > longest ? `${message.slice(0, longest)}…` : message;
  return maskSecrets(cut.toWellFormed(), { key: channel.key, host: URL.parse(channel.base)?.host });
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.retry-after — seconds or a date; some also send milliseconds. */
function retryAfterOf(headers: ErrorAnswer['headers'], now: number): number | undefined {
  const milliseconds = Number(single(headers?.['retry-after-ms']) ?? Number.NaN);
  if (milliseconds > 0) return milliseconds / 1000;
  const value = single(headers?.['retry-after'])?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return seconds > 0 ? seconds : undefined;
}

function ownFailure(kind: UpstreamFailure['kind'], errorCode: ErrorCode, status: number): UpstreamFailure {
  return {
    kind,
    status,
    upstreamStatus: 0,
    message: errorText(errorCode, 'zh'),
    errorCode,
    type: 'upstream_error',
    param: '',
    code: errorCode,
    retryAfter: undefined,
  };
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
