// Maps finish reasons, which this format expresses by a status and `incomplete_details`.
import { isObject } from '#server/framing/loose-json.ts';
import { type ReadEnding, readEnding, responsesEndings } from '../finish-reasons.ts';
import type { FinishReason } from '../parts.ts';
import type { ErrorInResponse } from '../stream-pipe.ts';
import { withBilled } from '../token-usage.ts';
import { usageParts } from './token-usage.ts';

/**
 * Reads the finish reason; null if the response has not ended.
 * @param hasCalls whether the model called the caller's tools
 */
export function readFinish(response: Readonly<Record<string, unknown>>, hasCalls: boolean): ReadEnding | null {
  const { status, incomplete_details: details } = response;
  // A missing or unknown reason counts as a limit.
  if (status === 'incomplete')
    return readEnding(responsesEndings, isObject(details) ? details.reason : undefined, { otherwise: 'length' }) ?? { reason: 'length' };
  if (status === 'failed' || status === 'cancelled') return { failure: withBilled(failedAs(status), usageParts(response)) };
  // Some servers omit the status of complete responses.
  return status === 'completed' || status === undefined || status === null ? { reason: hasCalls ? 'tool_calls' : 'stop' } : null;
}

/** Returns the error of a failed response that reports none. */
export function failedAs(status: 'failed' | 'cancelled'): ErrorInResponse {
  return { status: 502, message: `The provider ended the response as ${status}`, type: 'upstream_error', param: '', code: 'server_error' };
}

/** Returns the reason of an incomplete response; null if the response is complete. */
export function incompleteReason(reason: FinishReason): 'max_output_tokens' | 'content_filter' | null {
  return reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? 'content_filter' : null;
}
