// Finish reasons of this format.
import { cohereEndings, type ReadEnding, readEnding } from '../finish-reasons.ts';
import type { FinishReason } from '../parts.ts';

/** @param why the provider's explanation */
export function readFinishReason(value: unknown, why: unknown): ReadEnding | null {
  return readEnding(cohereEndings, value, { why });
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'COMPLETE',
  stop_sequence: 'STOP_SEQUENCE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'ERROR_TOXIC',
  pause: 'COMPLETE',
};

export function writeFinishReason(reason: FinishReason): string {
  return written[reason];
}
