// Usage in this format: cached tokens are separate from input, thinking is part of output.
import { isObject } from '#server/framing/loose-json.ts';
import type { HostedCalls, HostedKind } from '#shared/hosted-tools.ts';
import { type AdviceUsage, noTokens, sumOfUsages, type TokenUsage } from '#shared/token-usage.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { isInvalidCount, tokenCount, withTier } from '../token-usage.ts';

/** Returns the token classes that a usage object reports. Streams report input at the start and the rest at the end. */
export function readTokenUsage(value: unknown): Partial<TokenUsage> {
  if (!isObject(value)) return {};
  const usage: Partial<TokenUsage> = {};
  const input = tokenCount(value.input_tokens);
  if (input !== undefined) usage.input = input;
  const read = tokenCount(value.cache_read_input_tokens);
  if (read !== undefined) usage.cacheRead = read;
  const written = tokenCount(value.cache_creation_input_tokens);
  if (written !== undefined) {
    const hour = isObject(value.cache_creation) ? (tokenCount(value.cache_creation.ephemeral_1h_input_tokens) ?? 0) : 0;
    usage.cacheWrite1h = Math.min(hour, written);
    usage.cacheWrite5m = written - usage.cacheWrite1h;
  }
  const output = tokenCount(value.output_tokens);
  if (output !== undefined) usage.output = output;
  const thoughts = isObject(value.output_tokens_details) ? tokenCount(value.output_tokens_details.thinking_tokens) : undefined;
  if (thoughts !== undefined && output !== undefined) usage.reasoning = Math.min(thoughts, output);
  // `service_tier` refers to prepaid capacity. https://platform.claude.com/docs/en/build-with-claude/fast-mode
  return withTier(usage, value.speed);
}

/** Reports whether a main count is present and invalid. */
export function isInvalidUsage(value: unknown): boolean {
  return invalidCounts(value).length > 0;
}

function invalidCounts(value: unknown): MainCount[] {
  if (!isObject(value)) return value === undefined || value === null ? [] : ['input', 'output'];
  const counts: MainCount[] = [];
  if (isInvalidCount(value.input_tokens)) counts.push('input');
  if (isInvalidCount(value.output_tokens)) counts.push('output');
  return counts;
}

export function usageParts(value: unknown): ResponsePart[] {
  const usage = readTokenUsage(value);
  const counts = invalidCounts(value);
  const calls = hostedCalls(value);
  const { summaries, advice } = iterationUsage(value);
  return [
    ...(summaries === null ? [] : [{ type: 'summary_usage' as const, usage: summaries }]),
    ...(advice.length === 0 ? [] : [{ type: 'advice_usage' as const, advice }]),
    ...(calls === null ? [] : [{ type: 'hosted_usage' as const, calls }]),
    ...(Object.keys(usage).length > 0 ? [{ type: 'usage' as const, usage }] : []),
    ...(counts.length > 0 ? [{ type: 'invalid_usage' as const, counts }] : []),
  ];
}

/** Maximum advisor models counted in one call. */
const mostAdvisers = 8;

/** Reads the usage of summaries and advisors, which the top-level counts exclude. https://platform.claude.com/docs/en/build-with-claude/compaction#usage */
function iterationUsage(value: unknown): { summaries: TokenUsage | null; advice: AdviceUsage[] } {
  let summaries: TokenUsage | null = null;
  const advice = new Map<string, TokenUsage>();
  for (const iteration of isObject(value) && Array.isArray(value.iterations) ? value.iterations : []) {
    if (!isObject(iteration) || (iteration.type !== 'compaction' && iteration.type !== 'advisor_message')) continue;
    const usage = { ...noTokens, ...readTokenUsage(iteration) };
    const adviser = iteration.type === 'advisor_message' && typeof iteration.model === 'string' ? iteration.model : '';
    if (adviser !== '' && (advice.has(adviser) || advice.size < mostAdvisers)) {
      advice.set(adviser, sumOfUsages(advice.get(adviser) ?? noTokens, usage));
    } else summaries = sumOfUsages(summaries ?? noTokens, usage);
  }
  return { summaries, advice: [...advice].map(([model, usage]) => ({ model, usage })) };
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#usage-and-pricing */
function hostedCalls(value: unknown): HostedCalls | null {
  if (!isObject(value) || !isObject(value.server_tool_use)) return null;
  const reported = value.server_tool_use;
  const calls: Partial<Record<HostedKind, number>> = {};
  for (const [name, kind] of countedTools) {
    const count = tokenCount(reported[name]) ?? 0;
    if (count > 0) calls[kind] = count;
  }
  return Object.keys(calls).length === 0 ? null : calls;
}

const countedTools = [
  ['web_search_requests', 'web_search'],
  ['web_fetch_requests', 'web_fetch'],
  ['code_execution_requests', 'code_execution'],
] as const satisfies readonly (readonly [string, HostedKind])[];

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite5m, ephemeral_1h_input_tokens: usage.cacheWrite1h },
    output_tokens_details: usage.reasoning > 0 ? { thinking_tokens: usage.reasoning } : null,
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
    speed: null,
  };
}

/** Writes the runs of hosted tools; nothing if none ran. */
export function writeServerToolUse({ web_search = 0, web_fetch = 0 }: HostedCalls): Record<string, unknown> {
  if (web_search + web_fetch === 0) return {};
  return { server_tool_use: { web_search_requests: web_search, web_fetch_requests: web_fetch } };
}
