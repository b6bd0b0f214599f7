// The tokens of a call, and where their numbers come from.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { UsageSource } from '#shared/logs.ts';
import { type AdviceUsage, inputTokens, noTokens, type TokenUsage } from '#shared/token-usage.ts';

/** Advice of a model, and what it costs before the group's ratio: USD per 1,000 such. */
export interface AdviceCharge extends AdviceUsage {
  price: number;
}

export interface MeteredUsage extends TokenUsage {
  promptSource: UsageSource;
  completionSource: UsageSource;
  /** Tools that ran at the provider. */
  hosted?: HostedCalls;
  /** Tokens of summaries that the provider has had written within the call: a part of all. */
  summaries?: TokenUsage;
  /** What other models have written within the call, at their own prices: no part of the rest. */
  advice?: readonly AdviceCharge[];
  /** What a price per call is for; missing: the call. */
  units?: CallUnits;
}

export interface TokenCounter {
  prompt(): Promise<{ tokens: number; isEstimated: boolean }>;
  completion(): Promise<number>;
}

/**
 * Returns the reported usage, with missing parts counted: a number of 0 counts as missing, because every call has a prompt.
 * @param hasTextAfter the model wrote on after it
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

/** Returns a usage counted here, for upstreams that report none; estimated if counting would have taken too long. */
export function countedUsage(input: number, output: number, isEstimated: boolean): MeteredUsage {
  const source = isEstimated ? 'estimated' : 'counted';
  return { ...noTokens, input, output, promptSource: source, completionSource: source };
}

/** Returns whether a number that the upstream did not report was estimated. */
export function isEstimate({ promptSource, completionSource }: MeteredUsage): boolean {
  return promptSource === 'estimated' || completionSource === 'estimated';
}

/** Returns the reported usage, with the counted completion if that is larger: the report came before the rest. */
function withCompletion(reported: MeteredUsage, output: number): MeteredUsage {
  return output <= reported.output ? reported : { ...reported, output, completionSource: 'counted' };
}
