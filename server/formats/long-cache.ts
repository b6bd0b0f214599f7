// Lifetimes of prompts in OpenAI's cache, whose writes cost more the longer they are stored. Responses count writes and do not report how long they
// are stored. https://developers.openai.com/api/docs/guides/prompt-caching
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

const usualLifetimes: ReadonlySet<unknown> = new Set([undefined, null, '30m']);

/** Whether a request stores anything longer than usual: all of its writes are charged as long ones then. */
export function writesLongCache(body: Body): boolean {
  const { prompt_cache_options: options, messages, input } = body;
  if (isObject(options) && !usualLifetimes.has(options['ttl'])) return true;
  return hasLongMark(messages) || hasLongMark(input);
}

/** Marks stand at contents of messages, and at the parts of these. */
function hasLongMark(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  const items: readonly unknown[] = list;
  return items.some((item) => {
    if (!isObject(item)) return false;
    const { prompt_cache_breakpoint: mark, content, output } = item;
    return (isObject(mark) && !usualLifetimes.has(mark['ttl'])) || hasLongMark(content) || hasLongMark(output);
  });
}
