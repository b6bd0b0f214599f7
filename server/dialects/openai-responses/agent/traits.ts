// The last of a request: how often it may have tools run at Perplexity. That often was reserved for.
import { isObject } from '#server/framing/loose-json.ts';
import type { EncodeInput } from '../../encode-input.ts';
import type { AppliedTraits } from '../../upstream-dialect.ts';
import { applyTraits as applyPlain } from '../traits.ts';

type Body = Readonly<Record<string, unknown>>;

export function applyTraits(body: Body, input: EncodeInput): AppliedTraits {
  const applied = applyPlain(body, input);
  const { tools, preset, max_tool_calls: told } = applied.body;
  const runs = preset !== undefined || (Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool.type !== 'function'));
  if (!runs || told !== undefined) return applied;
  return { ...applied, body: { ...applied.body, max_tool_calls: mostCalls(input) } };
}

/** Tools without a price are no loss to anybody here. */
function mostCalls({ hosted = {}, settings }: EncodeInput): number {
  const paid = (hosted.web_search ?? 0) + (hosted.web_fetch ?? 0);
  return paid === 0 ? settings.get('ToolCallsPerRequest') : paid;
}
