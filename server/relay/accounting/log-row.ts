// The log row of a call: what was used, what it costs by which factors, and how every attempt went.
import type { CallEnding, LogOther } from '#shared/logs.ts';
import { LogType } from '#shared/logs.ts';
import { pricedUsage } from '#shared/pricing.ts';
import { inputTokens } from '#shared/token-usage.ts';
import type { ChargeRow } from '#server/money/settlement/settlement.ts';
import type { MeteredUsage } from '#server/relay/accounting/metered-usage.ts';
import { elapsed } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';

/** Names of fields that are kept of a call. */
const mostDropped = 20;

export interface CallEnd {
  /** Null: nothing was used. */
  usage: MeteredUsage | null;
  /** Channel that answered; 0: none did. */
  channelId: number;
  upstreamModel: string | undefined;
  reasoningEffort: string | undefined;
  /** Milliseconds until the first byte; undefined when none came. */
  firstByteMs: number | undefined;
  /** Undefined: well. */
  ending: CallEnding | undefined;
  /** How it was charged that the client had left. */
  afterLeaving?: LogOther['after_leaving'];
  /** Short text of what went wrong. */
  problem?: string;
}

export function chargeRow(call: RunningCall, end: CallEnd): ChargeRow {
  const { admission, quoted, services, model } = call;
  const { usage } = end;
  const quota = usage === null ? 0 : services.quotes.charge(quoted, pricedUsage(usage));
  const duration = elapsed(call);
  const { price, groupRatio } = quoted;
  const other: LogOther = {
    model_ratio: price.kind === 'usage' ? price.modelRatio : 0,
    completion_ratio: price.kind === 'usage' ? price.completionRatio : 0,
    cache_ratio: price.kind === 'usage' ? price.cacheRatio : 0,
    model_price: price.kind === 'call' ? price.modelPrice : -1,
    group_ratio: groupRatio,
    quota_per_unit: quoted.quotaPerUnit,
    cache_tokens: usage?.cacheRead ?? 0,
    duration_ms: duration,
    attempts: call.attempts,
    admin_info: { use_channel: call.attempts.map((attempt) => String(attempt.channel)) },
  };
  if (end.firstByteMs !== undefined) other.frt = Math.round(end.firstByteMs);
  if (usage !== null) {
    other.prompt_source = usage.promptSource;
    other.completion_source = usage.completionSource;
    if (usage.reasoning > 0) other.reasoning_tokens = usage.reasoning;
    const written = usage.cacheWrite5m + usage.cacheWrite1h;
    if (written > 0 && price.kind === 'usage') {
      other.cache_creation_tokens = written;
      other.cache_creation_ratio = price.cacheCreationRatio;
      if (usage.cacheWrite1h > 0) {
        other.cache_creation_tokens_1h = usage.cacheWrite1h;
        other.cache_creation_ratio_1h = price.cacheCreation1hRatio;
      }
    }
  }
  if (end.reasoningEffort !== undefined) other.reasoning_effort = end.reasoningEffort;
  if (end.upstreamModel !== undefined && end.upstreamModel !== model) {
    other.is_model_mapped = true;
    other.upstream_model_name = end.upstreamModel;
  }
  if (call.outputBound !== undefined) other.output_bound = call.outputBound;
  if (end.afterLeaving !== undefined) other.after_leaving = end.afterLeaving;
  if (call.dropped.length > 0) other.dropped_fields = call.dropped.slice(0, mostDropped);
  if (end.ending !== undefined) other.ending = end.ending;
  if (end.problem !== undefined) other.problem = end.problem;
  return {
    user_id: admission.user.id,
    created_at: call.createdAt,
    type: LogType.consumption,
    username: admission.user.username,
    token_name: admission.token.name,
    model_name: model,
    quota,
    prompt_tokens: usage === null ? 0 : inputTokens(usage),
    completion_tokens: usage?.output ?? 0,
    use_time: Math.round(duration / 1000),
    is_stream: call.isStream,
    channel_id: end.channelId,
    token_id: admission.token.id,
    group: admission.group,
    other,
    request_id: call.requestId,
    ...(end.ending === undefined ? {} : { failed: 1 }),
    ...(services.context.settings.get('LogConsumeEnabled') ? {} : { hidden: true }),
  };
}
