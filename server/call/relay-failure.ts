// Builds error responses of the relay: in the caller's format and language, with the request id.
import { AppError, type ErrorCode, errors, errorText, type Language, waitText } from '#shared/errors.ts';
import type { ApiSurface, ErrorObject } from '#server/surfaces/api-surface.ts';
import { failureHeaders } from '#server/http/failure.ts';
import { type EndReason, endRules } from '#server/call/call-end.ts';
import { callerLanguage } from '#server/http/language.ts';
import { bufferResponse } from '#server/http/lean-response.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { refusesChannel } from '#server/exchange/failure-consequences.ts';

const requestTypes = new Set([400, 404, 408, 413, 415, 426]);

/** Errors whose text has no request id, because clients of the playground compare it. */
const withoutId = new Set<ErrorCode>(['access_token_not_supported', 'group_not_allowed']);

/** Errors whose text is English for API callers, because programs compare it; users of the playground get their language. */
const playgroundTexts: Partial<Record<ErrorCode, Record<Language, string>>> = {
  model_required: { zh: '请选择模型', en: 'Choose a model' },
  invalid_text_request: { zh: '请填写消息（messages）', en: 'The request has no messages' },
  sensitive_words_detected: { zh: '内容包含屏蔽词', en: 'The request has blocked words' },
};

/** Builds the error object for a playground call. */
export function playgroundError(error: AppError, language: Language, requestId: string): ErrorObject {
  const reported = gatewayError(error, language, requestId);
  const message = playgroundTexts[error.code]?.[language];
  return message === undefined ? reported : { ...reported, message };
}

/** Builds the error object for an error of the gateway. */
export function gatewayError(error: AppError, language: Language, requestId: string): ErrorObject {
  const text = errorText(error.code, language, error.details);
  const message = withoutId.has(error.code) ? text : `${text} (request id: ${requestId})`;
  const type = requestTypes.has(error.status) ? 'invalid_request_error' : 'new_api_error';
  return { message, type, param: error.field ?? '', code: error.code, status: error.status };
}

const retryNoChannelSeconds = 5;

interface ReportedEnd {
  reason: EndReason;
  failure?: UpstreamFailure | undefined;
}

export interface ReportedFailure {
  error: ErrorObject;
  retryAfter: number | undefined;
}

/** Returns the caller's error for an upstream's failure: the upstream's message, unless it concerns the channel's account or load. */
export function reportFailure(
  failure: UpstreamFailure,
  { language, requestId, keywords }: { language: Language; requestId: string; keywords: readonly string[] },
): ReportedFailure {
  if (refusesChannel(failure, keywords)) {
    // Reported as 502, which SDKs retry: 401 would make callers suspect their key. If only words of the message point to the
    // channel, they may be quoted from the request: the status is unchanged, so that SDKs do not retry a bad request.
    const isCertain = refusesChannel(failure, []) || failure.status >= 500;
    const status = isCertain ? errors.channel_refused.status : failure.status;
    const error = { ...gatewayError(new AppError('channel_refused'), language, requestId), type: 'upstream_error', status };
    return { error: concernsQuota(failure) ? { ...error, upstreamCode: quotaCode } : error, retryAfter: undefined };
  }
  if (failure.own !== undefined) return { error: gatewayError(failure.own, language, requestId), retryAfter: undefined };
  const own: ErrorCode | null = failure.status === 429 ? 'upstream_saturated' : failure.errorCode;
  const { type, param, code, status, retryAfter } = failure;
  const text = own === null ? failure.message : errorText(own, language, { status: failure.upstreamStatus });
  const reported = own === null || retryAfter === undefined ? text : `${text}. ${waitText(retryAfter)}`;
  return { error: { message: `${reported} (request id: ${requestId})`, type, param, code, status }, retryAfter };
}

const quotaCode = 'insufficient_quota';

/** Reports whether the channel's account is exhausted, so that an immediate retry would be refused again. */
function concernsQuota({ code, type, status, upstreamStatus }: UpstreamFailure): boolean {
  return code === quotaCode || type === quotaCode || status === 402 || upstreamStatus === 402;
}

/** Returns the caller's error for a failed call. `failure`: the upstream's, or one that the gateway detected. */
export function reportEnd(call: RunningCall, { reason, failure }: ReportedEnd): ReportedFailure {
  const { services, requestId } = call;
  if (failure === undefined) return reportError(call, reason === 'no_channel' ? noChannel(call) : new AppError(endRules[reason].reported));
  const keywords = services.context.settings.get('AutomaticDisableKeywords');
  return reportFailure(failure, { language: languageOf(call), requestId, keywords });
}

export function reportError(call: RunningCall, error: AppError): ReportedFailure {
  return { error: gatewayError(error, languageOf(call), call.requestId), retryAfter: error.retryAfter };
}

/** Language of the call's errors. */
function languageOf({ turn }: RunningCall): Language {
  return callerLanguage(turn.request.headers);
}

/** Returns the error if none of the channels that serve the model may be tried now. */
export function noChannel({ admission, model }: Pick<RunningCall, 'admission' | 'model'>): AppError {
  return new AppError('no_channel', { group: admission.group, model }, { retryAfter: retryNoChannelSeconds });
}

/** Wraps an error of the gateway, e.g. a request that the channel's format cannot express. It does not affect the channel's health. */
export function failureOfOurs(error: AppError): UpstreamFailure {
  return { ...invalidResponse(), status: error.status, errorCode: error.code, code: error.code, message: error.message, own: error };
}

/** Failure for output that is nested too deep. The request caused it, so it is not retried on another channel. */
export function tooDeep(): UpstreamFailure {
  return failureOfOurs(new AppError('upstream_too_deep'));
}

/** Headers with the request id: Tidegate's, and the one that the SDKs of the caller's format read. */
export function requestIdHeaders({ requestIdHeader }: ApiSurface, requestId: string): Record<string, string> {
  return { 'x-oneapi-request-id': requestId, [requestIdHeader]: requestId };
}

/** Reports whether SDKs should retry a status. 501 is final: what is not served now will not be served at a retry. */
function isWorthRetrying(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501);
}

/** Adds the response headers to an error that is sent without an HTTP response, e.g. in a stream. */
export function withHeaders(
  error: ErrorObject,
  { requestId, retryAfter, headers: others }: { requestId: string; retryAfter: number | undefined; headers?: ErrorObject['headers'] },
): ErrorObject {
  const headers: Record<string, string> = { ...others, 'x-oneapi-request-id': requestId };
  if (retryAfter !== undefined) headers['retry-after'] = String(Math.ceil(retryAfter));
  return { ...error, headers };
}

/** Builds the HTTP response for an error, with its headers. */
export function errorResponse(surface: ApiSurface, error: ErrorObject, requestId: string, retryAfter?: number): Response {
  return bufferResponse(
    error.status,
    {
      'content-type': 'application/json; charset=utf-8',
      ...error.headers,
      ...failureHeaders({ retryAfter }, requestId),
      // SDKs of several vendors read this header.
      'x-should-retry': String(isWorthRetrying(error.status)),
      [surface.requestIdHeader]: requestId,
    },
    Buffer.from(JSON.stringify(surface.errorBody(error, requestId, retryAfter))),
  );
}
