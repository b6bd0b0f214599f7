// The line with which Claude Code begins its prompt: it tells its own provider who calls, and differs with each conversation. At the
// beginning of another vendor's prompt it makes every conversation a new one for the cache.
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

export const attributionMark = 'x-anthropic-billing-header:';

/** A block of the prompt that is this line and nothing else. */
export function isAttribution(block: unknown): boolean {
  return isObject(block) && typeof block.text === 'string' && block.text.startsWith(attributionMark) && !block.text.trim().includes('\n');
}

/** For providers of this format whose models are others'. The same body where there is no such line. */
export function withoutAttribution(body: Body): Body {
  const { system } = body;
  if (!Array.isArray(system) || !isAttribution(system[0])) return body;
  const { system: _system, ...rest } = body;
  return system.length === 1 ? rest : { ...rest, system: system.slice(1) };
}
