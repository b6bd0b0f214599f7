// Adds cache marks to a request whose caller could not set them. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
import { isObject } from '#server/framing/loose-json.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';

type Json = Record<string, unknown>;

const mark = { cache_control: { type: 'ephemeral' } };
/**
 * Number of marked user turns, from the end. With the mark before the turns, three of the four allowed marks are used. The
 * provider searches twenty blocks back from a mark, so the turn before the last is marked too.
 */
const markedTurns = 2;
const markable: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'tool_result']);
const charactersPerToken = 4;

/** Returns the minimum tokens of a cached prompt; for unknown models, the one of the first models. */
function leastTokens(model: string): number {
  return factsOf(model)?.cacheLeastTokens ?? 1024;
}

/** Adds marks to a request that the gateway has translated. */
export function markPrompt(body: Json, model: string): void {
  if (lengthOf(body['system']) + lengthOf(body['tools']) + lengthOf(body['messages']) < leastTokens(model) * charactersPerToken) return;
  const { system, tools, messages } = body;
  if (typeof system === 'string' && system !== '') body['system'] = [{ type: 'text', text: system, ...mark }];
  else if (Array.isArray(tools) && tools.length > 0) body['tools'] = [...tools.slice(0, -1), { ...asObject(tools.at(-1)), ...mark }];
  if (!Array.isArray(messages)) return;
  let left = markedTurns;
  const marked: unknown[] = [...messages];
  for (let at = marked.length - 1; at >= 0 && left > 0; at -= 1) {
    const turn = marked[at];
    const written = isObject(turn) && turn.role === 'user' ? markedTurn(turn) : null;
    if (written === null) continue;
    marked[at] = written;
    left -= 1;
  }
  body['messages'] = marked;
}

/** Returns null if no block can be marked. */
function markedTurn(turn: Readonly<Json>): Json | null {
  const { content } = turn;
  const blocks: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
  const last = blocks.at(-1);
  if (!isObject(last) || !markable.has(last.type)) return null;
  return { ...turn, content: [...blocks.slice(0, -1), { ...last, ...mark }] };
}

function asObject(value: unknown): Readonly<Json> {
  return isObject(value) ? value : {};
}

/** Returns the characters that count as text: images and files have a few hundred tokens, however long their data. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => (name === 'source' ? sum : sum + lengthOf(inner)), 0);
}
