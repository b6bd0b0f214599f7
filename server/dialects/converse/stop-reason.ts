// Why a response ended, in this format's words.
import type { FinishReason } from '../parts.ts';

const read: ReadonlyMap<unknown, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop_sequence'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
]);

export function readStopReason(value: unknown): FinishReason | null {
  return typeof value === 'string' && value !== '' ? (read.get(value) ?? 'stop') : null;
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
  pause: 'end_turn',
};

export function writeStopReason(reason: FinishReason): string {
  return written[reason];
}
