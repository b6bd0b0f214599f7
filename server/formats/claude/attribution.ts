// First line of Claude Code's prompt, which identifies the caller to Anthropic and differs per conversation. In another vendor's prompt it
// would defeat the cache.
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

export const attributionMark = 'x-anthropic-billing-header:';

/** Whether a prompt block is that line only. */
export function isAttribution(block: unknown): boolean {
  return isObject(block) && typeof block.text === 'string' && block.text.startsWith(attributionMark) && !block.text.trim().includes('\n');
}

/** Removes the line for other vendors' models; returns the same body without one. */
export function withoutAttribution(body: Body): Body {
  const { system } = body;
  if (!Array.isArray(system) || !isAttribution(system[0])) return body;
  const { system: _system, ...rest } = body;
  return system.length === 1 ? rest : { ...rest, system: system.slice(1) };
}
