// `thinking_to_content`: moves reasoning into content as `<think>` tags, for clients without reasoning.
import { isObject } from '#server/framing/loose-json.ts';

const open = '<think>\n';
const close = '\n</think>\n';

export function thinkingInMessage(body: Record<string, unknown>): void {
  if (!Array.isArray(body.choices)) return;
  for (const choice of body.choices) {
    const message = isObject(choice) ? choice.message : undefined;
    if (!isObject(message)) continue;
    const thought = takeReasoning(message);
    if (thought !== '') message.content = `${open}${thought}${close}${typeof message.content === 'string' ? message.content : ''}`;
  }
}

export interface ThinkingStream {
  /** Changes the chunk; returns the chunks to send, in order. */
  chunk(chunk: Record<string, unknown>): Record<string, unknown>[];
  /** Closes open tags at the end. */
  end(): Record<string, unknown>[];
}

/** Each choice of a stream has its own state. */
export function createThinkingStream(): ThinkingStream {
  const thinking = new Set<number>();
  let last: Record<string, unknown> | undefined;

  const closing = (chunk: Record<string, unknown>, index: number) => {
    thinking.delete(index);
    const { usage: _usage, ...rest } = chunk;
    return { ...rest, choices: [{ index, delta: { content: close }, finish_reason: null }] };
  };

  return {
    chunk(chunk) {
      if (!Array.isArray(chunk.choices)) return [chunk];
      last = chunk;
      const before: Record<string, unknown>[] = [];
      for (const choice of chunk.choices) {
        if (!isObject(choice) || !isObject(choice.delta)) continue;
        const index = typeof choice.index === 'number' ? choice.index : 0;
        const { delta } = choice;
        const thought = takeReasoning(delta);
        const content = typeof delta.content === 'string' ? delta.content : '';
        if (thought !== '') {
          const opening = thinking.has(index) ? '' : open;
          thinking.add(index);
          delta.content = `${opening}${thought}`;
          // With both in one chunk, reasoning ends.
          if (content !== '') {
            delta.content += `${close}${content}`;
            thinking.delete(index);
          }
        } else if (thinking.has(index) && (content !== '' || Array.isArray(delta.tool_calls) || isEnd(choice))) {
          before.push(closing(chunk, index));
        }
      }
      return [...before, chunk];
    },
    end: () => (last === undefined ? [] : [...thinking].map((index) => closing(last ?? {}, index))),
  };
}

function isEnd(choice: Record<string, unknown>): boolean {
  return choice.finish_reason !== undefined && choice.finish_reason !== null;
}

/** Removes and returns the text of either reasoning field. */
function takeReasoning(part: Record<string, unknown>): string {
  const thought = part.reasoning_content || part.reasoning;
  delete part.reasoning_content;
  delete part.reasoning;
  return typeof thought === 'string' ? thought : '';
}
