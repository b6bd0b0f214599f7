// Upstream failures, in the shape of all errors of the gateway.
import { type AppError, type ErrorCode, errorText } from '#shared/errors.ts';
import { type FailureReason, saidReason } from '#shared/failure-reasons.ts';
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import { maskSecrets } from './mask-secrets.ts';
import { type Concern, concernOf, type Forbidden } from './forbidden.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendFailure } from './send-failure.ts';
import { statusesOfChannel } from '#server/formats/status-in-body.ts';
import { tooLongCode } from '#server/surfaces/too-long-prompt.ts';
import { isContextLengthError } from './context-length-errors.ts';
import { waitIn } from './retry-after.ts';
import { readGoogleError } from '#server/formats/google-error.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';

export interface UpstreamFailure {
  /**
   * `response`: the upstream sent an error. The others are detected here: no connection, no response in time, an
   * invalid response.
   */
  kind: 'response' | 'network' | 'timeout' | 'invalid';
  /** Status for the client and for decisions, after the channel's status mapping. */
  status: number;
  /** Status that the upstream sent; 0 without a response. */
  upstreamStatus: number;
  /** Message with secrets masked. */
  message: string;
  /** Set if the text is the gateway's and can be rendered in the caller's language. */
  errorCode: ErrorCode | null;
  type: string;
  param: string;
  code: string | number | null;
  /** Seconds until a retry, as requested by the upstream. */
  retryAfter: number | undefined;
  /** The gateway's own refusal; nothing was sent. */
  own?: AppError;
  /** Usage that the upstream bills despite the failure. */
  usage?: TokenUsage;
  /**
   * Cause of the failure, if the status does not determine it: for a 403, and for request errors whose status blames
   * the channel.
   */
  concerns?: Concern;
}

export interface ErrorResponse {
  status: number;
  /** Decoded body; may be truncated. */
  text: string;
  /** Headers by lower-case name. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
  channel: Pick<PreparedChannel, 'statusCodeMapping' | 'key' | 'base' | 'provider'>;
  /** Milliseconds since the epoch, for dates in headers. */
  now: number;
}

const LONGEST_MESSAGE = 4000;
/** Maximum length of a type, parameter or code, where upstreams may quote callers as well. */
const LONGEST_NAME = 200;

/** Parses a response whose status is not 200; tolerates all shapes of providers' bodies. */
export function parseUpstreamError({ status, text, headers, channel, now }: ErrorResponse): UpstreamFailure {
  const body = parseObject(insideList(text));
  const found = readErrorBody(body);
  const type = found.type ?? 'upstream_error';
  const code = found.code === undefined ? (awsErrorType(headers) ?? 'bad_response_status_code') : found.code;
  const reported = { ...found, message: found.message ?? '', type, code };
  const isTooLong = mayBeTooLong(status) && isContextLengthError({ ...reported, codesOfLength: channel.provider?.refusals?.codesOfLength });
  const concerns = isTooLong ? 'request' : concernOfStatus(status, reported, channel);
  const mapped = isTooLong ? 400 : (channel.statusCodeMapping.get(status) ?? (concerns === 'request' && status !== 429 ? 400 : status));
  return {
    ...(concerns === undefined ? {} : { concerns }),
    kind: 'response',
    // Redirects and unexpected successes are reported as 502.
    status: mapped < 400 || mapped > 599 ? 502 : mapped,
    upstreamStatus: status,
    message: cleanMessage(found.message || `bad response status code ${status}`, channel),
    // Without an upstream message, the gateway's text is used.
    errorCode: found.message ? null : 'bad_response_status_code',
    type: isTooLong ? tooLong.type : cleanName(type, channel),
    param: cleanName(found.param ?? String(status), channel),
    code: isTooLong ? tooLong.code : cleanCode(code, channel),
    retryAfter: retryAfterOf(headers, now) ?? found.retryAfter ?? waitOf(mapped, reported.message),
  };
}

/** Failure from an error in a body of status 200. */
export function failureInBody(found: ErrorInResponse, channel: ErrorResponse['channel']): UpstreamFailure {
  const isTooLong =
    mayBeTooLong(found.status) && isContextLengthError({ ...found, codesOfLength: channel.provider?.refusals?.codesOfLength });
  const concerns = isTooLong ? 'request' : concernOfStatus(found.status, found, channel);
  return {
    ...found,
    ...(isTooLong ? { status: 400 } : {}),
    ...(concerns === undefined ? {} : { concerns }),
    kind: 'response',
    upstreamStatus: 200,
    message: cleanMessage(found.message, channel),
    type: isTooLong ? tooLong.type : cleanName(found.type, channel),
    param: cleanName(found.param, channel),
    code: isTooLong ? tooLong.code : cleanCode(found.code, channel),
    errorCode: null,
    retryAfter: found.retryAfter ?? waitOf(found.status, found.message),
  };
}

/** Failure for a connection that failed before a response began. */
export function networkFailure(): UpstreamFailure {
  return gatewayFailure('network', 'do_request_failed', 502);
}

/**
 * `connect`: nothing was sent. `first_byte`: the upstream may still be working, so a retry would be billed twice.
 * `idle`: the response had begun.
 */
export function timeoutFailure(phase: 'connect' | 'first_byte' | 'idle'): UpstreamFailure {
  return phase === 'connect' ? networkFailure() : gatewayFailure('timeout', 'upstream_timeout', 504);
}

/** Maps a send failure to an upstream failure. */
export function failureOfSend({ reason }: SendFailure, phase: 'first_byte' | 'idle'): UpstreamFailure {
  if (reason === 'timeout') return timeoutFailure(phase);
  return reason === 'too_large' || reason === 'unreadable' ? invalidResponse() : networkFailure();
}

/** Failure for a generated result that could not be downloaded. It is not retried: a retry would generate and bill it again. */
export function unreachableContent(): UpstreamFailure {
  return gatewayFailure('timeout', 'upstream_content_unreachable', 504);
}

/** Failure for an invalid response with status 200. */
export function invalidResponse(): UpstreamFailure {
  return gatewayFailure('invalid', 'invalid_upstream_response', 502);
}

/** Reason of the failure, which can be rendered in any language. */
export function failureReason({ errorCode, upstreamStatus, message }: UpstreamFailure): FailureReason {
  if (errorCode === null) return saidReason(message);
  return errorCode === 'bad_response_status_code' ? { code: errorCode, facts: { status: upstreamStatus } } : { code: errorCode };
}

/** Same as `failureReason` for channel tests, with the upstream's status in front of its message. */
export function refusedReason(failure: UpstreamFailure): FailureReason {
  const { errorCode, upstreamStatus, message } = failure;
  return upstreamStatus > 0 && errorCode === null ? saidReason(`status code ${upstreamStatus}: ${message}`) : failureReason(failure);
}

/** Google's OpenAI-compatible endpoints wrap their error in a list. */
function insideList(text: string): string {
  return /^\s*\[([^]*)\]\s*$/.exec(text)?.[1] ?? text;
}

interface FoundError {
  message?: string;
  type?: string;
  param?: string;
  code?: string | number | null;
  /** Seconds. */
  retryAfter?: number;
  reason?: string;
  metadata?: unknown;
}

/** Error shapes of providers, the most specific first. */
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
        ...(error.metadata === undefined ? {} : { metadata: error.metadata }),
        ...readGoogleError(error),
      };
    }
  }
  const header = isObject(body.header) ? body.header.message : undefined;
  const response = isObject(body.response) && isObject(body.response.error) ? body.response.error.message : undefined;
  const first = Array.isArray(body.errors) && isObject(body.errors[0]) ? body.errors[0].message : undefined;
  const place = Array.isArray(body.detail) && isObject(body.detail[0]) ? body.detail[0] : undefined;
  const detail = place === undefined ? body.detail : place.msg;
  const candidates = [body.message, body.msg, body.err, body.error_msg, header, response, error, first, detail];
  const message = candidates.map(nonEmpty).find((candidate) => candidate !== undefined);
  // Location of the invalid field, starting with `body`. https://fastapi.tiangolo.com/tutorial/handling-errors/
  const param = Array.isArray(place?.loc) ? nonEmpty(place.loc.at(-1)) : undefined;
  return { message, ...(param === undefined ? {} : { param }) };
}

/** OpenAI's error type and code. */
const tooLong = { type: 'invalid_request_error', code: tooLongCode };

/** Reports whether an error with this status may be about the prompt's length; account refusals and rate limits are not. */
function mayBeTooLong(status: number): boolean {
  return !statusesOfChannel.has(status);
}

/**
 * Returns the cause that the status and the error imply; undefined if unknown. Legal refusals (451), and prompts that exceed
 * the per-minute limit alone, concern the request.
 */
function concernOfStatus(status: number, reported: Forbidden, { provider }: ErrorResponse['channel']): Concern | undefined {
  const { codesOfKey, retried, accountWords } = provider?.refusals ?? {};
  const forbidden = { ...reported, codesOfKey };
  if (status === 403) return concernOf(forbidden);
  if (status === 400 && retried?.includes(status) === true) return concernOfBad(forbidden, accountWords);
  return status === 451 || (status === 429 && reported.message.startsWith('Request too large for ')) ? 'request' : undefined;
}

/** Returns the cause of a 400 from a provider that also refuses accounts with 400: the account if the message names it. */
function concernOfBad(reported: Forbidden, accountWords: readonly string[] = []): Concern | undefined {
  const text = reported.message.toLowerCase();
  if (concernOf(reported) === 'account' || accountWords.some((words) => text.includes(words.toLowerCase()))) return 'account';
  return reported.type === 'invalid_request_error' && reported.code !== 'FAILED_PRECONDITION' ? 'request' : undefined;
}

/** Wait time in the message of a rate limit or an overload. */
function waitOf(status: number, message: string): number | undefined {
  return status === 429 || status >= 500 ? waitIn(message) : undefined;
}

function cleanName(name: string, channel: ErrorResponse['channel']): string {
  return cleanMessage(name, channel, LONGEST_NAME);
}

function cleanCode(code: string | number | null, channel: ErrorResponse['channel']): string | number | null {
  return typeof code === 'string' ? cleanName(code, channel) : code;
}

/** Truncates and masks an upstream message for callers. */
export function cleanMessage(message: string, channel: Pick<ErrorResponse['channel'], 'key' | 'base'>, longest = LONGEST_MESSAGE): string {
  const cut = message.length > longest ? `${message.slice(0, longest)}…` : message;
  return maskSecrets(cut.toWellFormed(), { key: channel.key, host: URL.parse(channel.base)?.host });
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.retry-after — seconds or a date; some also send milliseconds. */
function retryAfterOf(headers: ErrorResponse['headers'], now: number): number | undefined {
  const milliseconds = Number(single(headers?.['retry-after-ms']) ?? Number.NaN);
  if (milliseconds > 0) return milliseconds / 1000;
  const value = single(headers?.['retry-after'])?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return seconds > 0 ? seconds : undefined;
}

function gatewayFailure(kind: UpstreamFailure['kind'], errorCode: ErrorCode, status: number): UpstreamFailure {
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

/**
 * Value like `ThrottlingException:http://…`; the body has only a message.
 * https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
 */
function awsErrorType(headers: ErrorResponse['headers']): string | undefined {
  return nonEmpty(single(headers?.['x-amzn-errortype'])?.split(':')[0]);
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
