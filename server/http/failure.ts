// Error responses of `/api`: the envelope, in the caller's language. The relay has other formats (`server/call/`).
import { AppError, errorText, type Language } from '#shared/errors.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { QueueFull } from '#server/queues/fair-queue.ts';
import type { AppContext } from '#server/context.ts';

/** Converts any thrown value to an AppError. Internal errors are logged only here. */
export function toAppError(failure: unknown, context: Pick<AppContext, 'log'>, requestId: string): AppError {
  if (failure instanceof AppError) {
    // Errors with a cause were logged where they were caught.
    if (failure.code === 'internal_error' && failure.cause === undefined) {
      context.log.error({ requestId, err: failure }, 'a request failed unexpectedly');
    }
    return failure;
  }
  // The caller has too many requests in progress.
  if (failure instanceof QueueFull) return new AppError('rate_limited', {}, { cause: failure, retryAfter: 2 });
  if (failure instanceof DatabaseUnavailable) {
    context.log.warn({ requestId, reason: failure.message }, 'the database is not available');
    return new AppError('database_unavailable', {}, { cause: failure, retryAfter: 1 });
  }
  context.log.error({ requestId, err: failure }, 'a request failed unexpectedly');
  return new AppError('internal_error', {}, { cause: failure });
}

/** Envelope of an error. */
export function failureResponse(error: AppError, language: Language, requestId: string): Response {
  const body = {
    ...error.extra,
    success: false,
    message: errorText(error.code, language, error.details),
    code: error.code,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.data === undefined ? {} : { data: error.data }),
  };
  return Response.json(body, { status: error.status, headers: failureHeaders(error, requestId) });
}

/** Envelope of marked endpoints: `data` also reports a rejected request. */
export function markedFailure(error: AppError, language: Language, requestId: string): Response {
  if (error.status !== 200) return failureResponse(error, language, requestId);
  const isInput = error.code === 'invalid_field' || error.code === 'invalid_parameter';
  const code = isInput ? 'payment_input' : error.code;
  const field = error.field === undefined ? {} : { field: error.field };
  const body = { success: false, message: 'error', code, ...field, data: errorText(code, language, error.details) };
  return Response.json(body, { headers: failureHeaders(error, requestId) });
}

export function failureHeaders({ retryAfter }: { retryAfter?: number | undefined }, requestId: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-oneapi-request-id': requestId,
    ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
  };
}
