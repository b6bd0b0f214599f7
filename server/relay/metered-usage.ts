// The tokens of a call, and where their numbers come from.
import type { UsageSource } from '#shared/logs.ts';
import type { Usage } from '#server/dialects/openai-chat/usage.ts';

export interface MeteredUsage extends Usage {
  promptSource: UsageSource;
  completionSource: UsageSource;
}

/** As the upstream told it. */
export function toldUsage(usage: Usage): MeteredUsage {
  return { ...usage, promptSource: 'upstream', completionSource: 'upstream' };
}

export interface TokenCounter {
  prompt(): Promise<{ tokens: number; isEstimated: boolean }>;
  completion(): Promise<number>;
}

/**
 * As the upstream told it, and counted what it did not tell: a number of 0 says nothing, because every call has a prompt.
 * @param hasTextAfter the model wrote on after it
 */
export async function completedUsage(usage: Usage, hasTextAfter: boolean, count: TokenCounter): Promise<MeteredUsage> {
  const told = toldUsage(usage);
  const hasPrompt = told.promptTokens > 0;
  const hasCompletion = told.completionTokens > 0 && !hasTextAfter;
  const withPrompt = hasPrompt ? told : withPromptTokens(told, await count.prompt());
  return hasCompletion ? withPrompt : withCompletion(withPrompt, await count.completion());
}

function withPromptTokens(told: MeteredUsage, { tokens, isEstimated }: { tokens: number; isEstimated: boolean }): MeteredUsage {
  const promptSource = isEstimated ? 'estimated' : 'counted';
  return { ...told, promptTokens: tokens, totalTokens: tokens + told.completionTokens, promptSource };
}

/** Counted by ourselves, for upstreams that tell nothing; estimated where counting would have taken too long. */
export function countedUsage(promptTokens: number, completionTokens: number, isEstimated: boolean): MeteredUsage {
  const source = isEstimated ? 'estimated' : 'counted';
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens: 0,
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    promptAudioTokens: 0,
    completionAudioTokens: 0,
    promptSource: source,
    completionSource: source,
  };
}

/** What was told, with the completion as it was counted when that is more: it had been told before the rest came. */
function withCompletion(told: MeteredUsage, completionTokens: number): MeteredUsage {
  if (completionTokens <= told.completionTokens) return told;
  return { ...told, completionTokens, totalTokens: told.promptTokens + completionTokens, completionSource: 'counted' };
}
