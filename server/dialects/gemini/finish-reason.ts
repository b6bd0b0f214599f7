// Why a response ended, in this format's words. https://ai.google.dev/api/generate-content#FinishReason
import type { FinishReason } from '../parts.ts';

const read: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries<FinishReason>({
    STOP: 'stop',
    MAX_TOKENS: 'length',
    CONTINUATION: 'pause',
    // No word of the vendor's; those who imitate it have it.
    FUNCTION_CALL: 'tool_calls',
    MALFORMED_FUNCTION_CALL: 'stop',
    UNEXPECTED_TOOL_CALL: 'stop',
    TOO_MANY_TOOL_CALLS: 'stop',
    MISSING_THOUGHT_SIGNATURE: 'stop',
    MALFORMED_RESPONSE: 'stop',
  }),
);

/** All others are kinds of filters. @param hasCalls this format has no word of its own for them */
export function readFinishReason(value: unknown, hasCalls: boolean): FinishReason | null {
  if (typeof value !== 'string' || value === '' || value === 'FINISH_REASON_UNSPECIFIED') return null;
  const reason = read.get(value) ?? 'content_filter';
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason;
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  pause: 'STOP',
};

export function writeFinishReason(reason: FinishReason): string {
  return written[reason];
}
