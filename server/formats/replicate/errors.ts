// Predictions that have ended without an output, and events of streams that say so.
import { isObject } from '#server/framing/loose-json.ts';
import type { UpstreamErrorObject } from '../parts.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

const failed: ReadonlySet<unknown> = new Set(['failed', 'canceled', 'aborted']);

/** Of a prediction; null: it is none. */
export function readError(body: unknown): UpstreamErrorObject | null {
  if (!isObject(body) || typeof body['id'] !== 'string' || !failed.has(body['status'])) return null;
  return withBilled(errorOf(body['error'], `the prediction is ${String(body['status'])}`), usageParts(body['metrics']));
}

export function errorOf(reported: unknown, otherwise: string): UpstreamErrorObject {
  const message = isObject(reported) ? (reported['detail'] ?? reported['message']) : reported;
  const text = typeof message === 'string' && message !== '' ? message : otherwise;
  // What a model refuses for its content would be refused again.
  const isOfContent = /\bNSFW\b|\bsensitive\b|\bflagged\b/i.test(text);
  return { message: text, type: 'replicate_error', code: isOfContent ? 'content_filter' : null, status: isOfContent ? 400 : 500 };
}
