// Errors within streams; others have a status of their own, and the same fields.
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';

/** Null: it is none. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body) || body['event'] !== 'error') return null;
  const { message, code, status } = body;
  return {
    message: typeof message === 'string' && message !== '' ? message : 'the application has failed',
    type: 'dify_error',
    code: typeof code === 'string' ? code : null,
    status: typeof status === 'number' && status >= 400 && status < 600 ? status : 500,
  };
}
