// Errors on this surface. https://cloud.google.com/apis/design/errors
import type { ErrorObject } from '../api-surface.ts';
import { isTooLong, lengthsIn } from '../too-long-prompt.ts';

const names: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const rpc = 'type.googleapis.com/google.rpc.';

/** @param retryAfter seconds */
export function errorBody(error: ErrorObject, requestId?: string, retryAfter?: number): Record<string, unknown> {
  const { status, code, param } = error;
  const message = isTooLong(error) ? tooLongMessage(error.message) : error.message;
  const details: object[] = [];
  if (typeof code === 'string') details.push({ '@type': `${rpc}ErrorInfo`, reason: code.toUpperCase(), domain: 'tidegate' });
  if (param !== null && param !== '')
    details.push({ '@type': `${rpc}BadRequest`, fieldViolations: [{ field: param, description: message }] });
  if (retryAfter !== undefined) details.push({ '@type': `${rpc}RetryInfo`, retryDelay: `${retryAfter}s` });
  if (requestId !== undefined) details.push({ '@type': `${rpc}RequestInfo`, requestId });
  const name = names[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  return { error: { code: status, message, status: name, ...(details.length === 0 ? {} : { details }) } };
}

/** The vendor's message. */
function tooLongMessage(message: string): string {
  if (/input token count/i.test(message)) return message;
  const lengths = lengthsIn(message);
  const [tokens, limit] = lengths === null ? ['', ''] : [` (${lengths.tokens})`, ` (${lengths.limit})`];
  return `The input token count${tokens} exceeds the maximum number of tokens allowed${limit}. ${message}`;
}
