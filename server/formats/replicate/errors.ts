// Errors of predictions without output and of stream events.
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

const failed: ReadonlySet<unknown> = new Set(['failed', 'canceled', 'aborted']);

/** Returns the error of a prediction; null if there is none. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body) || typeof body['id'] !== 'string' || !failed.has(body['status'])) return null;
  return withBilled(errorOf(body['error'], `the prediction is ${String(body['status'])}`), usageParts(body['metrics']));
}

export function errorOf(reported: unknown, otherwise: string): UpstreamErrorObject {
  const message = isObject(reported) ? (reported['detail'] ?? reported['message']) : reported;
  const text = typeof message === 'string' && message !== '' ? message : otherwise;
  // Rejected content would be rejected again.
  const isOfContent = /\bNSFW\b|\bsensitive\b|\bflagged\b/i.test(text);
  return { message: text, type: 'replicate_error', code: isOfContent ? 'content_filter' : null, status: isOfContent ? 400 : 500 };
}
