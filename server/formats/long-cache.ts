// Lifetimes of OpenAI's cache writes, whose price rises with the lifetime. Responses count writes and do not report lifetimes.
// https://developers.openai.com/api/docs/guides/prompt-caching
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

const usualLifetimes: ReadonlySet<unknown> = new Set([undefined, null, '30m']);

/** Whether a request has any longer lifetime: all of its writes are then charged at the higher price. */
export function writesLongCache(body: Body): boolean {
  const { prompt_cache_options: options, messages, input } = body;
  if (isObject(options) && !usualLifetimes.has(options['ttl'])) return true;
  return hasLongMark(messages) || hasLongMark(input);
}

/** Marks are on messages and on their parts. */
function hasLongMark(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  const items: readonly unknown[] = list;
  return items.some((item) => {
    if (!isObject(item)) return false;
    const { prompt_cache_breakpoint: mark, content, output } = item;
    return (isObject(mark) && !usualLifetimes.has(mark['ttl'])) || hasLongMark(content) || hasLongMark(output);
  });
}
