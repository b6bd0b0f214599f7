// Settles a call, for every outcome: log row, statistics, charge. A response is sent only after the settlement, so a call that is
// not settled is not answered.
import { inputTokens } from '#shared/token-usage.ts';
import type { LogOther } from '#shared/logs.ts';
import { alertOfCostDrift, alertOfIgnoredLimit } from '#server/notify/notifications.ts';
import { exceedsLimit } from '#server/call/settlement/learned-usage.ts';
import { learnFromCall } from '#server/call/settlement/learn-from-call.ts';
import { chargeRow } from '#server/call/settlement/log-row.ts';
import { isEstimate, type MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import type { EndReason } from '#server/call/call-end.ts';
import { type RunningCall, sentLimitOf } from '#server/call/running-call.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

export interface CallEnd {
  reason: EndReason;
  /** Channel that responded or was processing the call; null if none. */
  channel: PreparedChannel | null;
  /** Request that was sent; null if it had no effect. */
  request: SentRequest | null;
  /** Usage; null if nothing was used. */
  usage: MeteredUsage | null | Promise<MeteredUsage>;
  /** Milliseconds until the first byte; undefined if none arrived. */
  firstByteMs: number | undefined;
  /** Whether the response was read to its end after the client had disconnected. */
  wasRead?: boolean;
  /** Whether the end of the response, in which some providers report tool runs, never arrived. */
  isCut?: boolean;
  /** Failure of the upstream. */
  failure?: UpstreamFailure;
}

/** Settles the call and ends its reservation in any case. If it rejects, the caller must get an error or be disconnected. */
export async function settleCall(call: RunningCall, end: CallEnd): Promise<void> {
  const { services } = call;
  const { reservation } = call.reserved;
  const { reason, channel, firstByteMs, wasRead = false } = end;
  // Before its caller can see the failure and retry.
  if (reason !== 'completed') for (const stage of call.stages) stage.unanswered?.();
  // A free call is closed before its row is written, because the caller may retry at once.
  if (end.usage === null) for (const stage of call.stages) stage.closed?.(call);
  try {
    const usage = end.usage instanceof Promise ? await end.usage : end.usage;
    if (usage !== null) {
      for (const stage of call.stages) {
        const charging = stage.charging?.(call);
        if (charging !== undefined) await charging;
      }
    }
    const isWhole = reason === 'completed' || wasRead;
    const ended = {
      ...end,
      usage,
      isWhole,
      afterDisconnect: reason === 'client_disconnected' ? measuredAfterDisconnect(usage, wasRead) : undefined,
    };
    const row = chargeRow(call, ended);
    for (const stage of call.stages) stage.settling?.(row, call, ended);
    if (channel !== null && usage !== null) {
      const input = inputTokens(usage);
      services.context.figures.prompted(channel.id, input, usage.cacheRead);
      if (channel.keyId !== 0) services.context.keyFigures.used({ id: channel.keyId, channelId: channel.id }, input + usage.output);
    }
    if (isWhole && usage !== null && call.endpoint.kind.isInSession !== true) learnFromCall(call, usage, firstByteMs);
    if (channel !== null) services.use.add(channel.id, row.quota);
    const other: LogOther | null = row.other;
    const cost = other?.admin_info?.cost;
    if (cost !== undefined && channel !== null) noteCost(call, channel, cost);
    const settling = services.context.ledger.settle(reservation, row);
    if (row.quota > reservation.amount) noteExcess(call, { settling, channel, usage });
    await settling;
    if (row.quota > 0) services.context.lowBalance.spent(row.user_id);
    if (isWhole) {
      for (const stage of call.stages) {
        const counting = stage.settled?.(call);
        if (counting !== undefined) await counting;
      }
    }
  } catch (failure) {
    services.context.ledger.release(reservation);
    for (const stage of call.stages) stage.unanswered?.();
    throw failure;
  } finally {
    for (const stage of call.stages) stage.closed?.(call);
  }
}

type ComparedCost = NonNullable<NonNullable<LogOther['admin_info']>['cost']>;

/** Compares the charge with the cost that the provider reports. */
function noteCost({ services, model }: RunningCall, channel: PreparedChannel, reported: ComparedCost): void {
  const { context, settlement } = services;
  const { id, name } = channel;
  const sums = settlement.costs.noted({ key: `${id} ${model}`, ...reported }, context.settings.get('CostDriftPercent'));
  if (sums !== undefined) context.waitUntil(alertOfCostDrift(context, { id, name, model, ...sums }));
}

interface Excess {
  settling: Promise<void>;
  channel: PreparedChannel | null;
  usage: MeteredUsage | null;
}

/** Makes the account's next calls wait for the charge; logs a warning if the upstream ignored its limit. */
function noteExcess(call: RunningCall, { settling, channel, usage }: Excess): void {
  const { services, admission, model } = call;
  const { context, settlement } = services;
  const limit = sentLimitOf(call);
  settlement.excess.begin(admission.user.id, settling);
  // Limits do not apply to summaries within the call.
  const written = usage === null ? 0 : usage.output - (usage.summaries?.output ?? 0);
  if (channel === null || usage === null || limit === undefined || !exceedsLimit(written, limit)) return;
  const { id, name } = channel;
  const fact = { id, name, model, limit, written, username: admission.user.username };
  context.waitUntil(alertOfIgnoredLimit(context, fact));
}

/** Returns how the usage after a disconnect was determined; undefined if the provider reported it, or there is none. */
function measuredAfterDisconnect(usage: MeteredUsage | null, wasRead: boolean): 'read' | 'counted' | 'estimated' | undefined {
  if (usage === null) return undefined;
  if (wasRead) return 'read';
  if (usage.completionSource === 'upstream') return undefined;
  return isEstimate(usage) ? 'estimated' : 'counted';
}
