// Runs the attempts of a relayed call, one channel after the other.
import type { AppError } from '#shared/errors.ts';
import type { StopReason } from '#server/call/call-end.ts';
import type { SentAttempt } from '#server/call/call-attempt.ts';
import { reserveLargestOutput } from '#server/call/reserve-largest-output.ts';
import { type ReportedFailure, reportError } from '#server/call/relay-failure.ts';
import { fitsChannel, routingOf, type StageRouting } from '#server/call/stages.ts';
import { attempts, channelOnly } from '#server/call/routing/attempts.ts';
import { noteAnswered, noteFailed, noteStopped } from '#server/call/routing/note-attempt.ts';
import { type AttemptResult, runAttempt, type UnpassedResponse, type WholeResult } from '#server/call/run-attempt.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import { versionOf } from '#server/call/turn.ts';
import type { ClientStream } from '#server/call/stream/client-stream.ts';
import { isRetryable, refusesRequest } from '#server/exchange/failure-consequences.ts';
import { resolveRoute } from '#server/exchange/resolve-route.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { ratioOfGroup } from '#server/settings/group-moves.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** How the attempts of a call ended. */
export type Outcome = { kind: 'whole'; result: WholeResult } | { kind: 'stream' } | NoResponse;
export interface NoResponse {
  kind: 'none';
  /** Error for the caller, if it is not derived from the other members. */
  reported?: ReportedFailure;
  /** Why the call was sent to no channel. If undefined, it was sent, or there is no channel. */
  refusal?: AppError;
  reason: 'upstream_failed' | 'unsendable' | 'no_channel' | 'fault' | StopReason;
  /** Channel that failed. */
  channel?: PreparedChannel;
  failure?: UpstreamFailure;
  /** Attempt in progress when the call was stopped. */
  attempt?: SentAttempt | null;
  /** Response that cannot be sent to the client. */
  unpassed?: UnpassedResponse | null;
}

/** Sends the call to one channel after the other until one responds. Nothing was sent to the client before. */
export async function runAttempts(call: RunningCall, client: ClientStream | null): Promise<Outcome> {
  const { services, admission, model } = call;
  let stopped: StopReason | undefined;
  let last: NoResponse = { kind: 'none', reason: 'no_channel' };
  /** First refusal that the request caused, which is reported even if other channels failed otherwise. */
  let bad: NoResponse | null = null;
  const routing = routingOf(call.stages);
  const next = attempts({
    services,
    group: admission.group,
    nextGroup: () => moveToNextGroup(call),
    model,
    caller: admission.user.id,
    chooser: routing.chooser,
    stages: call.stages,
    only: onlyChannel(call, routing),
    routeTo: (channel) => routeTo(call, channel, routing),
    records: call.attempts,
    elapsed: () => elapsed(call),
    isOver: () => {
      stopped = call.stop.reason ?? (services.isEnding() ? 'shutdown' : undefined);
      return stopped !== undefined;
    },
  });
  for (let attempt = next(); attempt !== null; attempt = next()) {
    const { channel } = attempt;
    let result: AttemptResult;
    try {
      for (const stage of call.stages) {
        const refused = stage.prepare === undefined ? null : await stage.prepare(call, attempt);
        if (refused === null) continue;
        noteStopped(call, attempt);
        return { kind: 'none', reason: 'fault', reported: refused };
      }
      const covering = reserveLargestOutput(call, attempt);
      let uncovered = covering === null ? null : await covering;
      for (const stage of call.stages) {
        if (uncovered !== null || stage.before === undefined) continue;
        const refusing = stage.before(call, attempt);
        uncovered = refusing instanceof Promise ? await refusing : refusing;
      }
      if (uncovered !== null) {
        attempt.isPassedOver = true;
        noteStopped(call, attempt);
        const reported = reportError(call, uncovered);
        if (call.attempts.length === 1) last = { kind: 'none', reason: 'no_channel', reported, refusal: uncovered };
        continue;
      }
      result = await runAttempt(call, attempt, client);
    } catch (fault) {
      noteStopped(call, attempt);
      throw fault;
    }
    if (result.kind === 'stream') return { kind: 'stream' };
    if (result.kind === 'stopped') {
      noteStopped(call, attempt);
      return { kind: 'none', reason: call.stop.reason ?? 'client_disconnected', attempt: result.attempt };
    }
    if (result.kind === 'whole') {
      noteAnswered(call, attempt, 'completed');
      return { kind: 'whole', result };
    }
    const { failure, unpassed = null } = result;
    noteFailed(call, attempt, failure);
    // The gateway refused before anything was sent: the attempt does not count for the channel.
    const isUnsent = failure.own !== undefined && unpassed === null && attempt.record.status === 0;
    if (isUnsent) attempt.record.unsent = true;
    if (!isUnsent) last = { kind: 'none', reason: 'upstream_failed', failure, channel, unpassed };
    else if (last.reason !== 'upstream_failed') last = { kind: 'none', reason: 'unsendable', failure };
    if (!isUnsent && refusesRequest(failure, services.context.settings.get('AutomaticDisableKeywords'))) bad ??= last;
    if (unpassed !== null) return last;
    if (!isRetryable(failure, channel.provider)) return bad ?? last;
  }
  return stopped === undefined ? (bad ?? last) : { kind: 'none', reason: stopped };
}

/** Moves a call of group `auto` on to its next group, whose factor it pays then, at the price of its admission; undefined if there is none. */
function moveToNextGroup(call: RunningCall): string | undefined {
  const { admission, reserved, services } = call;
  const [group, ...furtherGroups] = admission.furtherGroups ?? [];
  if (group === undefined) return undefined;
  call.admission = { ...admission, group, furtherGroups };
  reserved.quoted = { ...reserved.quoted, groupRatio: ratioOfGroup(services.context.settings, group, admission.user.group) };
  return group;
}

/** Returns the only channel that the call may take, by a stage or the key; null if it cannot take the call, undefined if any may. */
function onlyChannel(call: RunningCall, { only }: StageRouting): PreparedChannel | null | undefined {
  const { services, admission, stages } = call;
  if (only === undefined) return admission.pinnedChannel === undefined ? undefined : channelOnly(services, admission.pinnedChannel);
  return fitsChannel(stages, only) ? only : null;
}

/** Returns null if the call cannot go through the channel. */
function routeTo(call: RunningCall, channel: PreparedChannel, { searchingTool }: StageRouting): ChannelRoute | null {
  const { endpoint, model, turn, stages } = call;
  if (!fitsChannel(stages, channel)) return null;
  const route = resolveRoute(channel, {
    client: endpoint.dialect,
    kind: endpoint.kind,
    model,
    version: versionOf(turn),
    searchingTool,
  });
  if (route !== null) for (const stage of stages) if (stage.fitsRoute?.(route) === false) return null;
  return route;
}
