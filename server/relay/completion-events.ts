// A whole chat completion told as a stream, for clients that asked for one where the upstream only answers whole.
import type { StreamSink } from '#server/upstream/send.ts';
import { doneEvent, toEvent } from '#server/upstream/sse.ts';

/** As much of an upstream's stream as the relay uses. */
export interface EventSource {
  read(sink: StreamSink): void;
  pause(): void;
  resume(): void;
  abort(): void;
}

export function completionEvents(completion: Record<string, unknown>): EventSource {
  const { choices, usage, ...rest } = completion;
  const base = { ...rest, object: 'chat.completion.chunk' };
  const deltas = Array.isArray(choices) ? choices.map(deltaOf) : [];
  const chunks = [
    { ...base, choices: deltas.map(({ index, delta }) => ({ index, delta, finish_reason: null })) },
    { ...base, choices: deltas.map(({ index, finish }) => ({ index, delta: {}, finish_reason: finish })) },
    ...(usage === undefined ? [] : [{ ...base, choices: [], usage }]),
  ];
  const bytes = Buffer.from(chunks.map((chunk) => toEvent(JSON.stringify(chunk))).join(''));
  return {
    read(sink) {
      sink.data(Buffer.concat([bytes, doneEvent]), true);
      sink.end();
    },
    pause() {},
    resume() {},
    abort() {},
  };
}

function deltaOf(choice: unknown, position: number): { index: number; delta: object; finish: unknown } {
  if (typeof choice !== 'object' || choice === null) return { index: position, delta: {}, finish: 'stop' };
  const index = 'index' in choice && typeof choice.index === 'number' ? choice.index : position;
  const message = 'message' in choice && typeof choice.message === 'object' && choice.message !== null ? choice.message : {};
  const finish = 'finish_reason' in choice ? (choice.finish_reason ?? 'stop') : 'stop';
  return { index, delta: withCallIndexes(message), finish };
}

/** Tool calls of a stream are numbered; those of a message are not. */
function withCallIndexes(message: object): object {
  if (!('tool_calls' in message) || !Array.isArray(message.tool_calls)) return message;
  const calls: unknown[] = message.tool_calls;
  return {
    ...message,
    tool_calls: calls.map((toolCall, index) => (typeof toolCall === 'object' && toolCall !== null ? { index, ...toolCall } : toolCall)),
  };
}
