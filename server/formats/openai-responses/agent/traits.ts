// Limits the tool runs at Perplexity to the number that is reserved. This is the last change to a request.
import { isObject } from '#server/framing/loose-json.ts';
import type { EncodeInput } from '../../encode-input.ts';
import type { AppliedTraits } from '../../upstream-dialect.ts';
import { applyTraits as applyPlain } from '../traits.ts';

type Body = Readonly<Record<string, unknown>>;

export function applyTraits(body: Body, input: EncodeInput): AppliedTraits {
  const applied = applyPlain(body, input);
  const { tools, preset, max_tool_calls: reported } = applied.body;
  const runs = preset !== undefined || (Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool.type !== 'function'));
  if (!runs) return applied;
  const paid = paidCalls(input);
  // If the tools have no price, nothing was reserved: the setting is the limit.
  const most = paid === 0 ? input.settings.get('ToolCallsPerRequest') : paid;
  // A preset searches without a requested tool, so the caller's maximum was not checked in admission.
  const bounded = typeof reported === 'number' && (paid === 0 || reported <= paid) ? reported : most;
  return { ...applied, body: { ...applied.body, max_tool_calls: bounded } };
}

function paidCalls({ hosted = {} }: EncodeInput): number {
  return (hosted.web_search ?? 0) + (hosted.web_fetch ?? 0);
}
