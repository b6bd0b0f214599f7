// Errors of this format. https://platform.claude.com/docs/en/api/errors
import type { ErrorObject } from '../api-surface.ts';
import { isTooLong, lengthsIn } from '../too-long-prompt.ts';
import { threadDetails } from './threads.ts';

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

export function errorEvent(error: ErrorObject, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`;
}
