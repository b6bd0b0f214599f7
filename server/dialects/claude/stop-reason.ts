// Why a response ended, in this format's words.
import type { FinishReason } from '../parts.ts';

const read: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries<FinishReason>({
    end_turn: 'stop',
    stop_sequence: 'stop_sequence',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    pause_turn: 'pause',
    refusal: 'content_filter',
  }),
);

export function readStopReason(value: unknown): FinishReason | null {
  return typeof value === 'string' && value !== '' ? (read.get(value) ?? 'stop') : null;
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
