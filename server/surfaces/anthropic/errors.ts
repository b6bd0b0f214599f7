// Errors on this surface. https://platform.claude.com/docs/en/api/errors
import type { ErrorObject } from '../api-surface.ts';
import { isTooLong, lengthsIn } from '../too-long-prompt.ts';

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Error details that the official SDKs recognize: they then send the whole conversation. */
const threadDetails: Readonly<Record<string, object>> = {
  threads_not_kept: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  thread_not_found: { error_code: 'thread_not_found' },
  thread_mismatch: { error_code: 'thread_fingerprint_mismatch' },
};

export function errorBody(error: ErrorObject, requestId: string): Record<string, unknown> {
  const { status, code } = error;
  const message = isTooLong(error) ? tooLongMessage(error.message) : error.message;
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const details = threadDetails[code ?? ''];
  return { type: 'error', error: { type, message, ...(details === undefined ? {} : { details }) }, request_id: requestId };
}

/** Claude Code compacts on the vendor's message and reads the lengths in it. */
function tooLongMessage(message: string): string {
  if (/prompt is too long/i.test(message)) return message;
  const lengths = lengthsIn(message);
  return lengths === null
    ? `prompt is too long: ${message}`
    : `prompt is too long: ${lengths.tokens} tokens > ${lengths.limit} maximum. ${message}`;
}
