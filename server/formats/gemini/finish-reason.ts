// Finish reasons of this format.
import { geminiEndings, type ReadEnding, readEnding } from '../finish-reasons.ts';
import type { FinishReason } from '../parts.ts';

/**
 * Reads a finish reason; an unknown one counts as a filter, because most new reasons are filters.
 * @param hasCalls whether the candidate has tool calls, for which the format has no reason
 */
export function readFinishReason(value: unknown, hasCalls: boolean, why: unknown): ReadEnding | null {
  const read = readEnding(geminiEndings, value, { why, otherwise: 'content_filter' });
  return read !== null && 'reason' in read && read.reason === 'stop' && hasCalls ? { ...read, reason: 'tool_calls' } : read;
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
