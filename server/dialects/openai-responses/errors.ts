// Errors in this format's shape: alone, as an event, and within a response that has failed.
import type { ErrorObject } from '../client-dialect.ts';

type Json = Record<string, unknown>;

export function errorBody({ message, type, param, code }: ErrorObject): Json {
  return { error: { message, type, param, code } };
}

/** The official clients throw when they see it. @param sequence its number within the stream */
export function errorEvent({ message, param, code }: ErrorObject, sequence: number): string {
  const event = { type: 'error', code: codeText(code), message, param, sequence_number: sequence };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

/** What a response that has failed says of it: the codes are a closed list. */
export function responseError({ message, status }: ErrorObject): Json {
  return { code: status === 429 ? 'rate_limit_exceeded' : status === 400 ? 'invalid_prompt' : 'server_error', message };
}

function codeText(code: ErrorObject['code']): string | null {
  return code === null ? null : String(code);
}
