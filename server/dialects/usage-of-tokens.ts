// Between the price classes of a dialect and the sums of a log row.
import type { TokenUsage } from './parts.ts';
import { inputTokens } from './token-usage.ts';
import type { Usage } from '#server/dialects/openai-chat/usage.ts';

export function usageOfTokens(tokens: TokenUsage): Usage {
  const promptTokens = inputTokens(tokens);
  return {
    promptTokens,
    completionTokens: tokens.output,
    totalTokens: promptTokens + tokens.output,
    cachedTokens: tokens.cacheRead,
    cacheCreationTokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
    reasoningTokens: tokens.reasoning,
    promptAudioTokens: tokens.audioInput,
    completionAudioTokens: tokens.audioOutput,
  };
}

export function tokensOfUsage(usage: Usage): TokenUsage {
  return {
    input: usage.promptTokens - usage.cachedTokens - usage.cacheCreationTokens,
    cacheRead: usage.cachedTokens,
    cacheWrite5m: usage.cacheCreationTokens,
    cacheWrite1h: 0,
    output: usage.completionTokens,
    reasoning: usage.reasoningTokens,
    audioInput: usage.promptAudioTokens,
    audioOutput: usage.completionAudioTokens,
  };
}
