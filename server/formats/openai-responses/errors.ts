// Writes errors of this format: as an event, and in a failed response.
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';

type Json = Record<string, unknown>;

/**
 * Writes the events at the end of a failed stream: OpenAI's SDKs throw on `error`, Codex reads `response.failed` only. On a
 * WebSocket, one message ends the response, or the request if its response has not begun.
 * @param failed the failed response
 * @param sequence number of the next event
 */
export function failureEvents(
  error: ErrorObject,
  failed: Json,
  { sequence, hasBegun, envelope }: { sequence: number; hasBegun: boolean; envelope: EventEncoding },
): string {
  const end = (number: number) =>
    envelope.event('response.failed', JSON.stringify({ type: 'response.failed', sequence_number: number, response: failed }));
  if (envelope.isMessages) {
    return hasBegun ? end(sequence) : envelope.event('error', JSON.stringify({ ...errorMessage(error), sequence_number: sequence }));
  }
  const { message, param, code } = error;
  const event = { type: 'error', code: codeText(code), message, param, sequence_number: sequence };
  return envelope.event('error', JSON.stringify(event)) + end(sequence + 1);
}

/** Writes an error on a WebSocket. It contains the status, because there is no HTTP status. */
export function errorMessage({ message, type, param, code, status, headers }: ErrorObject): Json {
  const error = { type, code: codeText(code), message, param: param === '' ? null : param };
  // OpenAI's SDKs read headers in the error, Codex next to it.
  return headers === undefined ? { type: 'error', status, error } : { type: 'error', status, error: { ...error, headers }, headers };
}

/**
 * Codes that a failed response may have: those of the SDKs, and those on which Codex compacts, waits or gives up. On other
 * codes, Codex sends the whole prompt again.
 * https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/sse/responses.rs
 */
const responseCodes: ReadonlySet<unknown> = new Set([
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'data_residency_mismatch',
  'bio_policy',
  'misalignment_policy_violation',
  'cyber_policy',
  'vector_store_timeout',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
  'context_length_exceeded',
  'insufficient_quota',
  'usage_not_included',
  'server_is_overloaded',
  'slow_down',
]);

const codesByStatus: Readonly<Record<number, string>> = { 400: 'invalid_prompt', 402: 'insufficient_quota', 429: 'rate_limit_exceeded' };

/** Writes the error object of a failed response. */
export function responseError({ message, status, code, upstreamCode }: ErrorObject): Json {
  const reported = upstreamCode ?? code;
  return { code: responseCodes.has(reported) ? reported : (codesByStatus[status] ?? 'server_error'), message };
}

function codeText(code: ErrorObject['code']): string | null {
  return code === null ? null : String(code);
}
