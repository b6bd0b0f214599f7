// Errors in bodies of status 200 and in events, and blocked prompts. https://ai.google.dev/gemini-api/docs/troubleshooting
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { readGoogleError } from '../google-error.ts';
import type { ErrorInResponse } from '../stream-pipe.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

/** Reads the error in a body; null if there is none. Parses only text that contains a key of errors. */
export function readError(text: string): ErrorInResponse | null {
  return readStatedError(text) ?? (text.includes('"blockReason"') ? blockedPrompt(parseObject(text) ?? {}) : null);
}

/** Reads the error in a body for a caller of this format, to whom a blocked prompt is a response, not an error. */
export function readStatedError(text: string): ErrorInResponse | null {
  if (!text.includes('"error"')) return null;
  // An error of a stream as JSON list is a list of one.
  const body = parseObject(/^\s*\[([\s\S]*)\]\s*$/.exec(text)?.[1] ?? text);
  return body === null ? null : statedErrorOf(body);
}

/** Reads the error of a parsed body. */
export function errorOf(body: Readonly<JsonObject>): ErrorInResponse | null {
  return statedErrorOf(body) ?? blockedPrompt(body);
}

export function statedErrorOf({ error, candidates, usageMetadata: usage }: Readonly<JsonObject>): ErrorInResponse | null {
  return isObject(error) && candidates === undefined ? withBilled(errorObject(error), usageParts(usage)) : null;
}

/** Reports whether a filter blocked the prompt: the body then has no candidates. */
export function isBlocked({ promptFeedback: feedback, candidates }: Readonly<JsonObject>): boolean {
  return isObject(feedback) && typeof feedback.blockReason === 'string' && !(Array.isArray(candidates) && candidates.length > 0);
}

function errorObject(error: JsonObject): ErrorInResponse {
  const { code, message, status } = error;
  const google = readGoogleError(error);
  const type = google?.type ?? (typeof status === 'string' ? status : 'upstream_error');
  return {
    status: typeof code === 'number' && code >= 400 && code <= 599 ? code : 502,
    message: typeof message === 'string' && message !== '' ? message : type,
    type,
    param: '',
    code: google?.code ?? (typeof code === 'number' || typeof code === 'string' ? code : null),
    ...(google?.retryAfter === undefined ? {} : { retryAfter: google.retryAfter }),
  };
}

function blockedPrompt(body: Readonly<JsonObject>): ErrorInResponse | null {
  const { promptFeedback: feedback } = body;
  if (!isBlocked(body) || !isObject(feedback)) return null;
  const { blockReason: reason, blockReasonMessage: why } = feedback;
  const about = typeof why === 'string' && why !== '' ? `: ${why}` : '';
  const message = `No candidates returned (blockReason: ${String(reason)})${about}`;
  const error = { status: 400, message, type: 'upstream_error', param: '', code: 'content_filter' };
  // A blocked prompt is billed: the model has read it, and its length is reported.
  return withBilled(error, usageParts(body.usageMetadata));
}
