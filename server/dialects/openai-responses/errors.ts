// Errors in this format's shape: alone, as an event, and within a response that has failed.
import type { Envelope } from '#server/framing/envelope.ts';
import type { ErrorObject } from '../client-dialect.ts';

type Json = Record<string, unknown>;

export function errorBody({ message, type, param, code }: ErrorObject): Json {
  return { error: { message, type, param, code } };
}

/** The official clients throw when they see it. @param sequence its number within the stream */
export function errorEvent(error: ErrorObject, sequence: number, envelope: Envelope): string {
  const { message, param, code } = error;
  const event = envelope.isMessages
    ? { ...errorMessage(error), sequence_number: sequence }
    : { type: 'error', code: codeText(code), message, param, sequence_number: sequence };
  return envelope.event('error', JSON.stringify(event));
}

/** The same on a socket, where there is no status beside it. */
export function errorMessage({ message, type, param, code, status, headers }: ErrorObject): Json {
  const error = { type, code: codeText(code), message, param: param === '' ? null : param };
  // OpenAI's packages look for headers in the error, and Codex beside it.
  return headers === undefined ? { type: 'error', status, error } : { type: 'error', status, error: { ...error, headers }, headers };
}

/** What a response that has failed says of it: the codes are a closed list. */
export function responseError({ message, status }: ErrorObject): Json {
  return { code: status === 429 ? 'rate_limit_exceeded' : status === 400 ? 'invalid_prompt' : 'server_error', message };
}

function codeText(code: ErrorObject['code']): string | null {
  return code === null ? null : String(code);
}
