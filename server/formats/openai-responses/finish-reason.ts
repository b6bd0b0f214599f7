// Finish reasons of this format: a status with incomplete details.
import { isObject } from '#server/framing/loose-json.ts';
import { type ReadEnding, readEnding, responsesEndings } from '../finish-reasons.ts';
import type { FinishReason } from '../parts.ts';
import type { ErrorInResponse } from '../stream-pipe.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

/** If null, the response has not ended. @param hasCalls the model called the caller's tools */
export function readFinish(response: Readonly<Record<string, unknown>>, hasCalls: boolean): ReadEnding | null {
  const { status, incomplete_details: details } = response;
  // A missing or unknown reason counts as a limit.
  if (status === 'incomplete')
    return readEnding(responsesEndings, isObject(details) ? details.reason : undefined, { otherwise: 'length' }) ?? { reason: 'length' };
  if (status === 'failed' || status === 'cancelled') return { failure: withBilled(failedAs(status), usageParts(response)) };
  // Some servers omit the status of complete responses.
  return status === 'completed' || status === undefined || status === null ? { reason: hasCalls ? 'tool_calls' : 'stop' } : null;
}

/** A failed response without a reason. */
export function failedAs(status: 'failed' | 'cancelled'): ErrorInResponse {
  return { status: 502, message: `The provider ended the response as ${status}`, type: 'upstream_error', param: '', code: 'server_error' };
}

/** Reason of an incomplete response. If null, the response is complete. */
export function incompleteReason(reason: FinishReason): 'max_output_tokens' | 'content_filter' | null {
  return reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? 'content_filter' : null;
}
