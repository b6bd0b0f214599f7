// Reads errors in place of a response, in events, and in failed responses.
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { failedAs } from './finish-reason.ts';
import { statusInBody, statusesOfChannel } from '../status-in-body.ts';
import type { ErrorInResponse } from '../stream-pipe.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

/** Reads the error in a text; null if there is none. `"error":null`, which every response has, is skipped. */
export function errorIn(text: string): ErrorInResponse | null {
  if (!/"error"\s*:\s*[^\sn]|"type"\s*:\s*"error"/.test(text)) return null;
  const body = parseObject(text);
  return body === null ? null : errorOf(body);
}

/** Reads the error of a parsed body or event. */
export function errorOf(body: Readonly<JsonObject>): ErrorInResponse | null {
  if (isObject(body.error)) return billed(written(body.error), body);
  if (body.type === 'error') return billed(written(body), body);
  if (body.type !== 'response.failed' && body.type !== 'response.cancelled') return null;
  const response = isObject(body.response) ? body.response : {};
  const error = isObject(response.error) ? written(response.error) : null;
  return billed(error ?? failedAs(body.type === 'response.failed' ? 'failed' : 'cancelled'), response);
}

function billed(error: ErrorInResponse | null, body: Readonly<JsonObject>): ErrorInResponse | null {
  return error === null ? null : withBilled(error, usageParts(body));
}

function written(error: JsonObject): ErrorInResponse | null {
  const { code } = error;
  const type = isFilled(error.type) && error.type !== 'error' ? error.type : 'upstream_error';
  if (!isFilled(error.message) && !isFilled(code) && !isFilled(error.type)) return null;
  return {
    status: statusOf(error),
    message: isFilled(error.message) ? error.message : isFilled(code) ? code : type,
    type,
    param: isFilled(error.param) ? error.param : '',
    code: typeof code === 'string' || typeof code === 'number' ? code : null,
  };
}

/** Statuses of error codes that concern the caller's request. */
const statuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  invalid_prompt: 400,
  context_length_exceeded: 400,
};

function statusOf(error: JsonObject): number {
  const status = statusInBody(error);
  if (statusesOfChannel.has(status) || typeof error.code !== 'string') return status;
  return statuses[error.code] ?? status;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
