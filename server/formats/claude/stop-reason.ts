// Maps stop reasons of this format.
import { claudeEndings, type ReadEnding, readEnding } from '../finish-reasons.ts';
import type { FinishReason } from '../parts.ts';

export function readStopReason(value: unknown): ReadEnding | null {
  return readEnding(claudeEndings, value);
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  pause: 'pause_turn',
};

export function writeStopReason(reason: FinishReason): string {
  return written[reason];
}
