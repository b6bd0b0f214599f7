// Marks of what the provider shall keep in its cache, in a request whose caller could not set them.
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching
import { isObject } from '#server/framing/loose-json.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';

type Json = Record<string, unknown>;

const mark = { cache_control: { type: 'ephemeral' } };
/** Of the four that a request may have: what stands before the turns, and the ends of the last two turns of the user. */
const markedTurns = 2;
/** The provider looks for what it has up to twenty blocks before a mark: the turn before the last one is marked where it was written. */
const markable: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'tool_result']);
const charactersPerToken = 4;

/** Fewer tokens are not kept, whatever is marked. Of a model of which it is not known, as many as of the first ones. */
function leastTokens(model: string): number {
  return factsOf(model)?.cacheLeastTokens ?? 1024;
}

/** Adds to a request that is written here. */
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

/** Null: there is nothing in it that can be marked. */
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

/** Characters that are read as text: pictures and files are some hundred tokens, however long they are written. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => (name === 'source' ? sum : sum + lengthOf(inner)), 0);
}
