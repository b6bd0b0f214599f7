// Errors in bodies of status 200 and in events, and prompts that were blocked. https://ai.google.dev/gemini-api/docs/troubleshooting
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { ErrorInResponse } from '../stream-pipe.ts';

/** Null when there is none. Costs a search of the text: quotes within JSON strings are escaped. */
export function readError(text: string): ErrorInResponse | null {
  if (!text.includes('"error"') && !text.includes('"blockReason"')) return null;
  // An error of a stream without events is a list of one.
  const body = parseObject(/^\s*\[([\s\S]*)\]\s*$/.exec(text)?.[1] ?? text);
  return body === null ? null : errorOf(body);
}

/** The same of a body that is parsed already. */
export function errorOf(body: Readonly<JsonObject>): ErrorInResponse | null {
  const { error } = body;
  return isObject(error) && body.candidates === undefined ? errorObject(error) : blockedPrompt(body);
}

function errorObject({ code, message, status }: JsonObject): ErrorInResponse {
  const type = typeof status === 'string' ? status : 'upstream_error';
  return {
    status: typeof code === 'number' && code >= 400 && code <= 599 ? code : 502,
    message: typeof message === 'string' && message !== '' ? message : type,
    type,
    param: '',
    code: typeof code === 'number' || typeof code === 'string' ? code : null,
  };
}

/** There is no candidate then. */
function blockedPrompt({ promptFeedback: feedback, candidates }: Readonly<JsonObject>): ErrorInResponse | null {
  const reason = isObject(feedback) ? feedback.blockReason : undefined;
  if (typeof reason !== 'string' || (Array.isArray(candidates) && candidates.length > 0)) return null;
  const message = `No candidates returned (blockReason: ${reason})`;
  return { status: 400, message, type: 'upstream_error', param: '', code: 'content_filter' };
}
