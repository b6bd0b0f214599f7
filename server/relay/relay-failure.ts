// How failures leave on the relay's paths: OpenAI's error object, in the caller's language, with the request id.
import { errorText } from '#shared/errors.ts';
import type { AppError, ErrorCode, Language } from '#shared/errors.ts';
import { failureHeaders } from '#server/http/failure.ts';
import { bufferAnswer } from '#server/relay/client-answer.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';

/** What a client is told: our own refusal, or what the upstream said. */
export interface ErrorObject {
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
}

const requestTypes = new Set([400, 404, 413, 415]);

/** The error object of our own refusals. */
export function ownError(error: AppError, language: Language, requestId: string): ErrorObject {
  const message = `${errorText(error.code, language, error.details)} (request id: ${requestId})`;
  const type = requestTypes.has(error.status) ? 'invalid_request_error' : 'new_api_error';
  return { message, type, param: error.field ?? '', code: error.code };
}

/** The error object of an upstream's failure; a saturated upstream is told in our words. */
export function upstreamError(failure: UpstreamFailure, language: Language, requestId: string): ErrorObject {
  const own: ErrorCode | null = failure.status === 429 ? 'upstream_saturated' : failure.errorCode;
  const text = own === null ? failure.message : errorText(own, language, { status: failure.upstreamStatus });
  return { message: `${text} (request id: ${requestId})`, type: failure.type, param: failure.param, code: failure.code };
}

export function errorAnswer(status: number, error: ErrorObject, requestId: string, retryAfter?: number): Response {
  return bufferAnswer(
    status,
    {
      'content-type': 'application/json; charset=utf-8',
      ...failureHeaders({ retryAfter }, requestId),
    },
    Buffer.from(JSON.stringify({ error })),
  );
}

/** An error inside a stream that has begun; the OpenAI clients throw when they see it. */
export function errorEvent(error: ErrorObject): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ error })}\n\n`);
}
