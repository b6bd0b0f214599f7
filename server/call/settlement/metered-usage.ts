// Usage of a call, with the source of its numbers.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { UsageSource } from '#shared/logs.ts';
import { type AdviceUsage, inputTokens, noTokens, type TokenUsage } from '#shared/token-usage.ts';

/** Advice of a model with its price before the group's ratio, in US dollars per 1,000 pieces of such advice. */
export interface AdviceCharge extends AdviceUsage {
  price: number;
}

export interface MeteredUsage extends TokenUsage {
  promptSource: UsageSource;
  completionSource: UsageSource;
  /** Runs of hosted tools. */
  hosted?: HostedCalls;
  /** Tokens of summaries within the call, included in the totals. */
  summaries?: TokenUsage;
  /** Advice of other models at their prices, not included in the totals. */
  advice?: readonly AdviceCharge[];
  /** Units of a price per call. If undefined, the call. */
  units?: CallUnits;
}

export interface TokenCounter {
  prompt(): Promise<{ tokens: number; isEstimated: boolean }>;
  completion(): Promise<number>;
}

/**
 * Returns the reported usage, with missing numbers counted; 0 counts as missing, because every call has a prompt.
 * @param hasTextAfter whether the model wrote text after the report
 */
export function completedUsage(usage: TokenUsage, hasTextAfter: boolean, count: TokenCounter): MeteredUsage | Promise<MeteredUsage> {
  const reported: MeteredUsage = { ...usage, promptSource: 'upstream', completionSource: 'upstream' };
  return inputTokens(reported) > 0 && reported.output > 0 && !hasTextAfter ? reported : countMissing(reported, hasTextAfter, count);
}

async function countMissing(reported: MeteredUsage, hasTextAfter: boolean, count: TokenCounter): Promise<MeteredUsage> {
  const withPrompt = inputTokens(reported) > 0 ? reported : withPromptTokens(reported, await count.prompt());
  return reported.output > 0 && !hasTextAfter ? withPrompt : withCompletion(withPrompt, await count.completion());
}

function withPromptTokens(reported: MeteredUsage, { tokens, isEstimated }: { tokens: number; isEstimated: boolean }): MeteredUsage {
  return { ...reported, input: tokens, promptSource: isEstimated ? 'estimated' : 'counted' };
}

/** Returns a usage that the gateway counted or estimated, for upstreams that report none. */
export function countedUsage(input: number, output: number, isEstimated: boolean): MeteredUsage {
  const source = isEstimated ? 'estimated' : 'counted';
  return { ...noTokens, input, output, promptSource: source, completionSource: source };
}

/** Reports whether a number of the usage was estimated. */
export function isEstimate({ promptSource, completionSource }: MeteredUsage): boolean {
  return promptSource === 'estimated' || completionSource === 'estimated';
}

/** Returns the reported usage, with the counted completion if it is larger, because text followed the report. */
function withCompletion(reported: MeteredUsage, output: number): MeteredUsage {
  return output <= reported.output ? reported : { ...reported, output, completionSource: 'counted' };
}
