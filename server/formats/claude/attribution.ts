// Removes the first line of Claude Code's prompt for other vendors' models. The line identifies the caller to Anthropic and
// differs per conversation, so it would defeat other vendors' prompt caches.
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

export const attributionMark = 'x-anthropic-billing-header:';

/** Reports whether a prompt block contains only that line. */
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
