// A call that was sent and then left is charged, or hanging up would be free: its prompt, and for a whole answer that nobody
// reads to its end what may have been written until then.
import type { Attempt } from '#shared/logs.ts';
import { chargeRow } from '#server/relay/accounting/log-row.ts';
import { countedUsage, isEstimate } from '#server/relay/accounting/metered-usage.ts';
import type { MeteredUsage } from '#server/relay/accounting/metered-usage.ts';
import { elapsed } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** The try that was under way. */
export interface LeftTry {
  channel: PreparedChannel;
  attempt: Attempt;
  /** Undefined: it had its own name. */
  upstreamModel: string | undefined;
  reasoningEffort: string | undefined;
}

/** Of a model that has not answered yet. */
const usualTokensPerSecond = 50;

/** Settles the call. Never leaves its reservation open. */
export async function chargeLeftCall(call: RunningCall, left: LeftTry): Promise<void> {
  const { services, reservation } = call;
  try {
    const usage = await usageUntilNow(call, left.attempt);
    const row = chargeRow(call, {
      usage,
      channelId: left.channel.id,
      upstreamModel: left.upstreamModel,
      reasoningEffort: left.reasoningEffort,
      firstByteMs: undefined,
      ending: 'client_closed',
      afterLeaving: isEstimate(usage) ? 'estimated' : 'counted',
    });
    services.use.add(left.channel.id, row.quota);
    await services.context.ledger.settle(reservation, row);
  } catch (failure) {
    services.context.ledger.release(reservation);
    throw failure;
  }
}

/** Nothing of a stream has come. A whole answer was being written all the time. */
async function usageUntilNow(call: RunningCall, attempt: Attempt): Promise<MeteredUsage> {
  const seconds = (elapsed(call) - attempt.start_ms) / 1000;
  const prompt = await usageOfPrompt(call);
  if (call.isStream || call.endpoint.capability !== 'chat') return prompt;
  const speed = call.services.learned.tokensPerSecond(call.model) ?? usualTokensPerSecond;
  const written = Math.ceil(seconds * speed * call.choices);
  return { ...prompt, output: Math.min(written, call.outputLimit ?? call.outputMost), completionSource: 'estimated' };
}

/** The prompt alone, as it is counted. */
export async function usageOfPrompt(call: RunningCall): Promise<MeteredUsage> {
  const { tokens, isEstimated } = await countPromptOf(call);
  return countedUsage(tokens, 0, isEstimated);
}

export async function countPromptOf(call: RunningCall): Promise<{ tokens: number; isEstimated: boolean }> {
  const { content, endpoint, model, prompt, admission } = call;
  const counting = { owner: admission.user.id, isEstimated: false };
  const tokens = await content.countPrompt({ endpoint, model, estimate: prompt.tokens }, counting);
  return { tokens, isEstimated: counting.isEstimated };
}
