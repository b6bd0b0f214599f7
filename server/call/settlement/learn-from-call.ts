// Adds the usage that an upstream reported for a call to the statistics of the model.
import { promptRatio } from '#server/money/quote.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import { elapsed, type RunningCall, sentLimitOf } from '#server/call/running-call.ts';

/** Share of the limit above which a response may have been truncated by it. */
const cutShare = 0.97;

/** Called after a call with reported usage. `firstByteMs`: start of the response. */
export function learnFromCall(call: RunningCall, usage: MeteredUsage, firstByteMs: number | undefined): void {
  // Usage with summaries or advice is not that of the caller's request alone.
  if (usage.promptSource !== 'upstream' || usage.summaries !== undefined || usage.advice !== undefined) return;
  // Only the limit that was sent counts, because no other can have been ignored.
  const { services, stream } = call;
  const limit = sentLimitOf(call);
  const { prompt, quoted } = call.reserved;
  const { price } = quoted;
  // Cache writes and audio that cost more per token than was reserved count as additional prompt tokens.
  const reserved = promptRatio(price, prompt.cacheWrite);
  const surcharge =
    price.kind === 'call'
      ? 0
      : usage.cacheWrite5m * Math.max(0, price.cacheCreationRatio / reserved - 1) +
        usage.cacheWrite1h * Math.max(0, price.cacheCreation1hRatio / reserved - 1) +
        usage.cacheRead * Math.max(0, price.cacheRatio / reserved - 1) +
        Math.max(0, usage.audioInput - prompt.audioMost) * Math.max(0, price.audioInputRatio - 1) +
        Math.max(0, usage.audioCacheRead - Math.max(0, prompt.audioMost - usage.audioInput)) *
          Math.max(0, (price.audioCacheRatio ?? 0) - 1);
  const lastAttempt = call.attempts.at(-1);
  const began = stream !== null ? firstByteMs : lastAttempt?.start_ms;
  services.settlement.learned.note({
    model: call.model,
    userId: call.admission.user.id,
    basis: prompt.basis,
    expected: prompt.expected,
    prompt: inputTokens(usage) + surcharge,
    completion: usage.output,
    isCut: limit !== undefined && usage.output >= limit * cutShare,
    limit,
    duration: elapsed(call) - (began ?? 0),
  });
}
