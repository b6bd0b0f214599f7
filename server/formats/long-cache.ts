// Reads the lifetimes of OpenAI's cache writes, which determine their price. Responses report the number of written tokens,
// not their lifetime.
// https://developers.openai.com/api/docs/guides/prompt-caching
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

const usualLifetimes: ReadonlySet<unknown> = new Set([undefined, null, '30m']);

/** Reports whether a request has a longer lifetime anywhere: all of its writes are then charged at the higher price. */
export function writesLongCache(body: Body): boolean {
  const { prompt_cache_options: options, messages, input } = body;
  if (isObject(options) && !usualLifetimes.has(options['ttl'])) return true;
  return hasLongMark(messages) || hasLongMark(input);
}

/** Searches messages and their parts for a mark with a longer lifetime. */
function hasLongMark(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  const items: readonly unknown[] = list;
  return items.some((item) => {
    if (!isObject(item)) return false;
    const { prompt_cache_breakpoint: mark, content, output } = item;
    return (isObject(mark) && !usualLifetimes.has(mark['ttl'])) || hasLongMark(content) || hasLongMark(output);
  });
}
