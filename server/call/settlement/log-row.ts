// Builds the log row of a call: usage, cost with its factors, and attempts.
import { pricedRuns, type ToolCharge, toolCharges } from '#shared/tool-prices.ts';
import type { HostedCalls, PricedRuns } from '#shared/hosted-tools.ts';
import { mostOf } from '#server/formats/hosted-tools.ts';
import { type LogOther, LogType } from '#shared/logs.ts';
import { pricedUsage } from '#shared/priced-usage.ts';
import { priceAt } from '#shared/price-at.ts';
import type { Price, PricedUsage, UsagePrice } from '#shared/pricing.ts';
import { costlierTier } from '#shared/find-price.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import type { CallEnd } from '#server/call/settlement/settle-call.ts';
import type { AdviceCharge, MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { endRules } from '#server/call/call-end.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';

/** Maximum names of dropped fields in a row. */
const mostDropped = 20;

/** Data of the call's end for the row. */
type RowEnd = Pick<CallEnd, 'reason' | 'channel' | 'request' | 'firstByteMs' | 'failure' | 'isCut'> & {
  usage: MeteredUsage | null;
  afterDisconnect: LogOther['after_leaving'];
};

export function chargeRow(call: RunningCall, end: RowEnd): ChargeRow {
  const { admission, services, model } = call;
  const { quoted } = call.reserved;
  const { request, failure } = end;
  const usage = request?.writesLong === true ? storedLong(end.usage) : end.usage;
  const ending = endRules[end.reason].logged;
  const runs = usage === null ? undefined : runsOf(call, usage, end);
  const priced = usage === null ? null : inTier(quoted.price, pricedUsage(usage), request);
  const quota =
    priced === null
      ? 0
      : services.context.quotes.charge(quoted, priced, runs, usage?.advice === undefined ? undefined : adviceCharges(usage.advice));
  const duration = elapsed(call);
  const price = priced === null ? quoted.price : priceAt(quoted.price, priced);
  const other: LogOther = {
    model_ratio: price.kind === 'usage' ? price.modelRatio : 0,
    completion_ratio: price.kind === 'usage' ? price.completionRatio : 0,
    cache_ratio: price.kind === 'usage' ? price.cacheRatio : 0,
    model_price: price.kind === 'call' ? price.modelPrice : -1,
    group_ratio: quoted.groupRatio,
    quota_per_unit: quoted.quotaPerUnit,
    cache_tokens: usage?.cacheRead ?? 0,
    duration_ms: duration,
    attempts: call.attempts,
    admin_info: adminInfo(call, { reported: usage?.cost, priced, runs, upstreamId: request?.upstreamId }),
  };
  if (end.firstByteMs !== undefined) other.frt = Math.round(end.firstByteMs);
  if (usage !== null) {
    other.prompt_source = usage.promptSource;
    other.completion_source = usage.completionSource;
    if (usage.reasoning > 0) other.reasoning_tokens = usage.reasoning;
    if (price.kind === 'usage') {
      if (price.inputRatio !== undefined || price.tier !== undefined) noteFactors(other, price);
      if (usage.cacheWrite5m + usage.cacheWrite1h > 0) noteCacheWrites(other, usage, price);
      const { audioInput, audioOutput, audioCacheRead, imageInput, imageOutput, imageCacheRead } = usage;
      if (audioInput + audioOutput + audioCacheRead > 0) noteAudio(other, usage, price);
      if (imageInput + imageOutput > 0) noteImages(other, usage, price);
      if (audioCacheRead + imageCacheRead > 0) noteCachedMedia(other, usage, price);
    }
    if (usage.units !== undefined && (price.kind === 'call' || usage.units.kind !== 'search')) other.units = usage.units;
    if (usage.advice !== undefined) other.advice = usage.advice.map(reportedAdvice);
    const tools = runs === undefined ? undefined : toolCharges(runs, quoted.tools ?? {});
    if (tools !== undefined && tools.length > 0) other.hosted_calls = tools;
  }
  if (request?.reasoningEffort !== undefined) other.reasoning_effort = request.reasoningEffort;
  if (request?.route.isMapped === true && request.upstreamModel !== model) {
    other.is_model_mapped = true;
    other.upstream_model_name = request.upstreamModel;
  }
  if (call.replaced !== undefined) Object.assign(other, { requested_model: call.replaced.model, ended_budget: call.replaced.budget });
  if (call.reserved.outputBound !== undefined) other.output_bound = call.reserved.outputBound;
  if (end.afterDisconnect !== undefined) other.after_leaving = end.afterDisconnect;
  if (call.sent !== null && call.sent.dropped.length > 0) other.dropped_fields = call.sent.dropped.slice(0, mostDropped);
  // Compaction is the only nested call.
  if (call.turn.within !== undefined) other.compaction = 'automatic';
  else if (call.responseFields['is_compaction'] === true) other.compaction = 'asked';
  if (ending !== undefined) other.ending = ending;
  if (failure !== undefined) other.problem = failure.message;
  const row: ChargeRow = {
    user_id: admission.user.id,
    created_at: call.createdAt,
    type: LogType.consumption,
    username: admission.user.username,
    token_name: admission.tokenName,
    model_name: model,
    quota,
    prompt_tokens: usage === null ? 0 : inputTokens(usage),
    completion_tokens: usage?.output ?? 0,
    use_time: Math.round(duration / 1000),
    is_stream: call.stream !== null,
    channel_id: end.channel?.id ?? 0,
    token_id: admission.token?.id ?? 0,
    group: admission.group,
    other,
    request_id: call.requestId,
  };
  if (ending !== undefined) row.failed = 1;
  if (!services.context.settings.get('LogConsumeEnabled')) row.hidden = true;
  return row;
}

interface ReportedCost {
  reported: number | undefined;
  priced: PricedUsage | null;
  runs: PricedRuns | undefined;
  upstreamId: string | undefined;
}

function adminInfo(
  { attempts, reserved: { quoted }, services }: RunningCall,
  { reported, priced, runs, upstreamId }: ReportedCost,
): LogOther['admin_info'] {
  const use_channel: string[] = [];
  for (let index = 0; index < attempts.length; index += 1) use_channel.push(String(attempts[index]?.channel));
  const info = upstreamId === undefined ? { use_channel } : { use_channel, upstream_id: upstreamId };
  if (reported === undefined || priced === null) return info;
  return { ...info, cost: { reported, ours: services.context.quotes.dollars(quoted, priced, runs) } };
}

/** Counts cache writes as long ones, for responses that report all writes with the shortest lifetime. */
function storedLong(usage: MeteredUsage | null): MeteredUsage | null {
  if (usage === null || usage.cacheWrite5m === 0) return usage;
  return { ...usage, cacheWrite5m: 0, cacheWrite1h: usage.cacheWrite1h + usage.cacheWrite5m };
}

/** Sets the tier that the provider reports; without a report, the requested one if it costs more. */
function inTier(price: Price, usage: PricedUsage, request: SentRequest | null): PricedUsage {
  const wanted = request?.requestedTier;
  const tier = usage.tier ?? request?.reportedTier ?? (wanted === undefined ? undefined : costlierTier(price, wanted, usage));
  return tier === undefined ? usage : { ...usage, tier };
}

/** Returns the runs of hosted tools, by the kind that they are charged as. */
function runsOf({ reserved: { quoted } }: RunningCall, usage: MeteredUsage, end: RowEnd): PricedRuns | undefined {
  // Returns early for most calls, which have none.
  if (usage.hosted === undefined && usage.searches === undefined && end.request?.hostedLeast === undefined && end.isCut !== true)
    return undefined;
  const hosted = hostedOf(usage, end);
  return hosted === undefined ? undefined : pricedRuns(hosted, quoted.tools ?? {}, end.request?.hostedVariants);
}

function hostedOf({ hosted, searches = 0 }: MeteredUsage, { request, isCut }: RowEnd): HostedCalls | undefined {
  const isByQuery = searches > 0 && request?.route.dialect.hosted?.billsQueries?.(request.upstreamModel) === true;
  const reported = mostOf(mostOf(hosted, request?.hostedLeast), isByQuery ? { web_search: searches } : undefined);
  return isCut === true ? mostOf(reported, request?.hostedIfCut) : reported;
}

/** Returns the charges for advice, one per model. */
function adviceCharges(advice: readonly AdviceCharge[]): ToolCharge[] {
  return advice.map(({ price }) => ({ kind: 'other', calls: 1, price }));
}

function reportedAdvice({ model, usage, price }: AdviceCharge): NonNullable<LogOther['advice']>[number] {
  return { model, prompt_tokens: inputTokens(usage), completion_tokens: usage.output, price };
}

function noteCacheWrites(other: LogOther, { cacheWrite5m, cacheWrite1h }: TokenUsage, price: UsagePrice): void {
  other.cache_creation_tokens = cacheWrite5m + cacheWrite1h;
  other.cache_creation_ratio = price.cacheCreationRatio;
  if (cacheWrite1h === 0) return;
  other.cache_creation_tokens_1h = cacheWrite1h;
  other.cache_creation_ratio_1h = price.cacheCreation1hRatio;
}

/** Records the factors of a long prompt and of a tier. */
function noteFactors(other: LogOther, { inputRatio, tier }: UsagePrice): void {
  if (inputRatio !== undefined) other.input_ratio = inputRatio;
  if (tier === undefined) return;
  other.service_tier = tier.name;
  other.tier_ratio = tier.factor;
}

function noteAudio(other: LogOther, usage: TokenUsage, price: UsagePrice): void {
  other.audio = true;
  other.audio_input = usage.audioInput;
  other.audio_output = usage.audioOutput;
  other.text_input = Math.max(0, inputTokens(usage) - usage.audioInput - usage.audioCacheRead);
  other.text_output = Math.max(0, usage.output - usage.audioOutput);
  other.audio_ratio = price.audioInputRatio;
  // Both are recorded, because the quotient may not be exact and the receipt must be.
  other.audio_output_ratio = price.audioOutputRatio;
  if (price.audioInputRatio > 0) other.audio_completion_ratio = price.audioOutputRatio / price.audioInputRatio;
}

/** Records image tokens that have another price than text. */
function noteImages(other: LogOther, { imageInput, imageOutput }: TokenUsage, price: UsagePrice): void {
  if (imageInput > 0 && price.imageInputRatio !== (price.inputRatio ?? 1)) {
    other.image_input = imageInput;
    other.image_ratio = price.imageInputRatio;
  }
  if (imageOutput > 0 && price.imageOutputRatio !== price.completionRatio) {
    other.image_output = imageOutput;
    other.image_output_ratio = price.imageOutputRatio;
  }
}

/** Records cached media tokens that have another price than cached text. */
function noteCachedMedia(other: LogOther, { audioCacheRead, imageCacheRead }: TokenUsage, price: UsagePrice): void {
  if (audioCacheRead > 0 && price.audioCacheRatio !== undefined) {
    other.audio_cache_tokens = audioCacheRead;
    other.audio_cache_ratio = price.audioCacheRatio;
  }
  if (imageCacheRead > 0 && price.imageCacheRatio !== undefined) {
    other.image_cache_tokens = imageCacheRead;
    other.image_cache_ratio = price.imageCacheRatio;
  }
}
