// Errors in this format's shape. https://cloud.google.com/apis/design/errors
import type { ErrorObject } from '../client-dialect.ts';

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

export function errorBody({ message, status }: ErrorObject): Record<string, unknown> {
  return { error: { code: status, message, status: names[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL') } };
}

export function errorEvent(error: ErrorObject): string {
  return `data: ${JSON.stringify(errorBody(error))}\n\n`;
}
