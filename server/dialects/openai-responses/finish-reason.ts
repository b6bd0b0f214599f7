// Why a response ended, in this format's words: a status, and what it lacks.
import { isObject } from '#server/framing/loose-json.ts';
import type { FinishReason } from '../parts.ts';

/** Null: it has not ended. @param hasCalls the model has called tools of the caller's */
export function readFinish(response: Readonly<Record<string, unknown>>, hasCalls: boolean): FinishReason | null {
  const { status, incomplete_details: details } = response;
  if (status === 'incomplete') return incomplete.get(isObject(details) ? details.reason : undefined) ?? 'length';
  // Some servers leave the status out of what is complete.
  return status === 'completed' || status === undefined || status === null ? (hasCalls ? 'tool_calls' : 'stop') : null;
}

/** Others, and none at all, are limits. */
const incomplete: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['content_filter', 'content_filter'],
  // Something else was said in the middle of it.
  ['steered', 'pause'],
]);

/** What a response lacks that ended so; null: it is complete. */
export function incompleteReason(reason: FinishReason): 'max_output_tokens' | 'content_filter' | null {
  return reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? 'content_filter' : null;
}
