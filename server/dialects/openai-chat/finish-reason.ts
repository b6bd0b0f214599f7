// Why a response ended, in this format's words.
import type { FinishReason } from '../parts.ts';

const read: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries<FinishReason>({
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool_calls',
    function_call: 'tool_calls',
    content_filter: 'content_filter',
  }),
);

/** Words that are none of this format's mean an ordinary end. */
export function readFinishReason(value: unknown): FinishReason | null {
  return typeof value === 'string' && value !== '' ? (read.get(value) ?? 'stop') : null;
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  pause: 'stop',
};

export function writeFinishReason(reason: FinishReason): string {
  return written[reason];
}
