// Reports attempts to the channel's health and figures, and records their ends for the log.
import { reasonToDisable } from '#server/exchange/auto-disable.ts';
import { disableRefused } from '#server/exchange/keys/disable-key.ts';
import { type EndReason, endRules } from '#server/call/call-end.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import type { AttemptEnd } from '#server/call/ended-call.ts';
import type { EndedAttempt } from '#server/call/stages.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import { versionOf } from '#server/call/turn.ts';
import { invalidResponse, timeoutFailure, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { isRetryable, nameOf } from '#server/exchange/failure-consequences.ts';
import { concernsKey, concernsOnlyKey, reportFailure, reportRelease, reportSuccess } from './report-outcome.ts';

type NotedAttempt = EndedAttempt & Partial<Pick<CallAttempt, 'keyUse' | 'keyRefusal'>>;

/** Reports an attempt whose response had begun, at its end. */
export function noteAnswered(call: RunningCall, attempt: NotedAttempt, reason: EndReason, failure?: UpstreamFailure): void {
  const { services, model } = call;
  const { channel, record, keyUse } = attempt;
  const rule = endRules[reason];
  const caller = call.admission.user.id;
  record.end_ms = elapsed(call);
  if (reason !== 'completed') record.error = failure === undefined ? (rule.logged ?? reason) : nameIn(call, failure);
  // A client that disconnected before the first byte gives no measurement.
  const isMeasured = record.first_byte_ms !== undefined;
  if (record.first_byte_ms !== undefined) services.context.figures.called(channel.id, record.first_byte_ms - record.start_ms);
  if (rule.channel === 'well') reportSuccess(services, channel, { model, caller });
  else if (rule.channel === 'nothing' || failure?.own !== undefined) reportRelease(services, channel, { model, caller });
  else {
    const reported = failure ?? (reason === 'stalled' ? timeoutFailure('idle') : invalidResponse());
    reportFailure(services, channel, { model, caller, failure: reported });
    keyUse?.ended('failed');
  }
  keyUse?.ended(isMeasured ? 'answered' : 'unsent');
  for (const stage of call.stages) stage.attempted?.(attempt, { kind: 'answered', reason, failure });
}

/** Reports an attempt that failed before its response began. */
export function noteFailed(call: RunningCall, attempt: NotedAttempt, failure: UpstreamFailure): void {
  const { services, model } = call;
  const { context } = services;
  const { channel, record, keyUse } = attempt;
  const caller = call.admission.user.id;
  record.end_ms = elapsed(call);
  record.error = nameIn(call, failure);
  for (const stage of call.stages) stage.attempted?.(attempt, { kind: 'failed', failure });
  // The gateway failed or refused the request: the channel is not affected.
  if (failure.own !== undefined) {
    reportRelease(services, channel, { model, caller });
    keyUse?.ended('unsent');
    return;
  }
  context.figures.called(channel.id, undefined);
  // A failure that the request caused does not affect the channel.
  const isOfChannel = isRetryable(failure, channel.provider) || failure.status >= 500;
  const isConfirmed = isOfChannel && reportFailure(services, channel, { model, caller, failure });
  if (!isOfChannel) reportRelease(services, channel, { model, caller });
  if (keyUse !== undefined) {
    keyUse.ended(isOfChannel ? 'failed' : 'answered');
    if (isOfChannel && concernsKey(failure)) attempt.keyRefusal = concernsOnlyKey(failure) ? 'certain' : 'possible';
  }
  const reason = reasonToDisable(context, channel, failure, { callerText: () => callerText(call), isConfirmed });
  if (reason !== null) context.waitUntil(disableRefused(context, channel, { reason, failure }));
}

/** Reports an attempt that was stopped before its response began. */
export function noteStopped(call: RunningCall, attempt: NotedAttempt): void {
  const { channel, record, keyUse } = attempt;
  record.end_ms = elapsed(call);
  reportRelease(call.services, channel, { model: call.model, caller: call.admission.user.id });
  keyUse?.ended('unsent');
  for (const stage of call.stages) stage.attempted?.(attempt, stopped);
}

const stopped: AttemptEnd = { kind: 'stopped' };

/** Returns the JSON of body, API version and forwarded headers; null if the body is large. */
function callerText({ content, turn, clientHeaders }: RunningCall): string | null {
  return content.isLarge ? null : JSON.stringify([content.body, versionOf(turn), clientHeaders]);
}

function nameIn({ services }: RunningCall, failure: UpstreamFailure): string {
  return nameOf(failure, services.context.settings.get('AutomaticDisableKeywords'));
}
