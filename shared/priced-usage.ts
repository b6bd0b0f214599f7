// Converts a reported usage to the classes that have prices.
import type { CallUnits } from '#shared/call-units.ts';
import type { PricedUsage } from '#shared/pricing.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';

/** The price classes of a usage as they are charged. What was summarized within the call was read by itself. */
export function pricedUsage(usage: Readonly<TokenUsage & { units?: CallUnits; summaries?: TokenUsage }>): PricedUsage {
  const { summaries } = usage;
  return {
    ...(summaries === undefined ? {} : { longestInput: Math.max(0, inputTokens(usage) - inputTokens(summaries)) }),
    ...(usage.units === undefined ? {} : { units: usage.units }),
    ...(usage.tier === undefined ? {} : { tier: usage.tier }),
    promptTokens: inputTokens(usage),
    completionTokens: usage.output,
    cachedTokens: Math.max(0, usage.cacheRead - usage.audioCacheRead - usage.imageCacheRead),
    audioCacheTokens: usage.audioCacheRead,
    imageCacheTokens: usage.imageCacheRead,
    cacheCreationTokens: usage.cacheWrite5m,
    cacheCreation1hTokens: usage.cacheWrite1h,
    audioInputTokens: usage.audioInput,
    audioOutputTokens: usage.audioOutput,
    imageInputTokens: usage.imageInput,
    imageOutputTokens: usage.imageOutput,
  };
}
