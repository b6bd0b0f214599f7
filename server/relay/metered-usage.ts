// The tokens of a call, and where their numbers come from.
import type { UsageSource } from '#shared/logs.ts';
import type { Usage } from '#server/upstream/dialects/openai/usage.ts';

export interface MeteredUsage extends Usage {
  promptSource: UsageSource;
  completionSource: UsageSource;
}

/** As the upstream told it. */
export function toldUsage(usage: Usage): MeteredUsage {
  return { ...usage, promptSource: 'upstream', completionSource: 'upstream' };
}

/** Counted by ourselves, for upstreams that tell nothing. */
export function countedUsage(promptTokens: number, completionTokens: number): MeteredUsage {
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens: 0,
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    promptAudioTokens: 0,
    completionAudioTokens: 0,
    promptSource: 'counted',
    completionSource: 'counted',
  };
}

/** What was told, with the completion as it was counted when that is more: it had been told before the rest came. */
export function withCompletion(told: MeteredUsage, completionTokens: number): MeteredUsage {
  if (completionTokens <= told.completionTokens) return told;
  return { ...told, completionTokens, totalTokens: told.promptTokens + completionTokens, completionSource: 'counted' };
}
