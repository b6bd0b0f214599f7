// Usage of this format: cached tokens are separate from input, thinking is part of output.
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { typeOf } from '../service-tier.ts';
import { isInvalidCount, tokenCount, withTier } from '../token-usage.ts';

/** Reads usage and service tier. */
export function usageParts(value: unknown, tier?: unknown): ResponsePart[] {
  const counts = invalidCounts(value);
  if (counts.length > 0) return [{ type: 'invalid_usage', counts }];
  const usage = isObject(value) ? withTier(readTokenUsage(value), typeOf(tier)) : {};
  return Object.keys(usage).length === 0 ? [] : [{ type: 'usage', usage }];
}

function readTokenUsage(value: Readonly<Record<string, unknown>>): Partial<TokenUsage> {
  const usage: Partial<TokenUsage> = {};
  const input = tokenCount(value.inputTokens);
  if (input !== undefined) usage.input = input;
  const read = tokenCount(value.cacheReadInputTokens);
  if (read !== undefined) usage.cacheRead = read;
  const written = tokenCount(value.cacheWriteInputTokens);
  if (written !== undefined) {
    usage.cacheWrite1h = Math.min(hourlyRetention(value.cacheDetails), written);
    usage.cacheWrite5m = written - usage.cacheWrite1h;
  }
  const output = tokenCount(value.outputTokens);
  if (output !== undefined) usage.output = output;
  return usage;
}

function hourlyRetention(details: unknown): number {
  let sum = 0;
  for (const detail of Array.isArray(details) ? details : []) {
    if (isObject(detail) && detail.ttl === '1h') sum += tokenCount(detail.inputTokens) ?? 0;
  }
  return sum;
}

function invalidCounts(value: unknown): MainCount[] {
  if (!isObject(value)) return value === undefined || value === null ? [] : ['input', 'output'];
  const counts: MainCount[] = [];
  if (isInvalidCount(value.inputTokens)) counts.push('input');
  if (isInvalidCount(value.outputTokens)) counts.push('output');
  return counts;
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    totalTokens: inputTokens(usage) + usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheWriteInputTokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cacheDetails: usage.cacheWrite1h > 0 ? [{ ttl: '1h', inputTokens: usage.cacheWrite1h }] : [],
  };
}
