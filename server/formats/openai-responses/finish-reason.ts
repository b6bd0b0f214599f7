// Why a response ended, in this format's words: a status, and what it lacks.
import { isObject } from '#server/framing/loose-json.ts';
import { readEnding, responsesEndings } from '../endings.ts';
import type { ReadEnding } from '../endings.ts';
import type { FinishReason } from '../parts.ts';
import type { ErrorInResponse } from '../stream-pipe.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

/** Null: it has not ended. @param hasCalls the model has called tools of the caller's */
export function readFinish(response: Readonly<Record<string, unknown>>, hasCalls: boolean): ReadEnding | null {
  const { status, incomplete_details: details } = response;
  // Without a reason it is a limit, as every other reason of a kind of its own.
  if (status === 'incomplete')
    return readEnding(responsesEndings, isObject(details) ? details.reason : undefined, { otherwise: 'length' }) ?? { reason: 'length' };
  if (status === 'failed' || status === 'cancelled') return { failure: withBilled(failedAs(status), usageParts(response)) };
  // Some servers leave the status out of what is complete.
  return status === 'completed' || status === undefined || status === null ? { reason: hasCalls ? 'tool_calls' : 'stop' } : null;
}

/** A response that has failed and does not say why. */
export function failedAs(status: 'failed' | 'cancelled'): ErrorInResponse {
  return { status: 502, message: `The provider ended the response as ${status}`, type: 'upstream_error', param: '', code: 'server_error' };
}

/** What a response lacks that ended so; null: it is complete. */
export function incompleteReason(reason: FinishReason): 'max_output_tokens' | 'content_filter' | null {
  return reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? 'content_filter' : null;
}
