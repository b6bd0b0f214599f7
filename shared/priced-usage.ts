// Converts a reported usage to the classes that have prices.
import type { CallUnits } from '#shared/call-units.ts';
import type { PricedUsage } from '#shared/pricing.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';

/** The price classes of a usage as they are charged. What was summarized within the call was read by itself. */
export function pricedUsage(usage: Readonly<TokenUsage & { units?: CallUnits; summaries?: TokenUsage }>): PricedUsage {
  const { summaries } = usage;
  const promptTokens = inputTokens(usage);
  const priced: PricedUsage = {
    promptTokens,
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
  if (summaries !== undefined) priced.longestInput = Math.max(0, promptTokens - inputTokens(summaries));
  if (usage.units !== undefined) priced.units = usage.units;
  if (usage.tier !== undefined) priced.tier = usage.tier;
  return priced;
}
