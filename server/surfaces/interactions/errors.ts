// Errors on this surface, alone and as an event. https://ai.google.dev/api/interactions-api#Error
import type { ErrorObject } from '../api-surface.ts';

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'insufficient_quota',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  413: 'request_too_large',
  429: 'too_many_requests',
  501: 'unimplemented',
  503: 'unavailable',
  504: 'deadline_exceeded',
};

/** The code is a text, whatever the upstream's. */
export function errorObject({ message, status, code }: ErrorObject): { code: string; message: string } {
  const known = codes[status] ?? (status < 500 ? 'invalid_request' : 'internal');
  return { code: typeof code === 'string' && code !== '' ? code : known, message };
}

export function errorBody(error: ErrorObject): Record<string, unknown> {
  return { error: errorObject(error) };
}
