// Reports attempts to the channel's health and figures, and records their ends for the log.
import { disableChannel, reasonToDisable } from '#server/exchange/auto-disable.ts';
import { type EndReason, endRules } from '#server/call/call-end.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import { versionOf } from '#server/call/turn.ts';
import { invalidResponse, timeoutFailure, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { isRetryable, nameOf } from '#server/exchange/failure-consequences.ts';

type NotedAttempt = Pick<CallAttempt, 'channel' | 'record'>;

/** Reports an attempt whose response had begun, at its end. */
export function noteAnswered(call: RunningCall, { channel, record }: NotedAttempt, reason: EndReason, failure?: UpstreamFailure): void {
  const { health, context } = call.services;
  const rule = endRules[reason];
  const caller = call.admission.user.id;
  record.end_ms = elapsed(call);
  if (reason !== 'completed') record.error = failure === undefined ? (rule.logged ?? reason) : nameIn(call, failure);
  // A client that disconnected before the first byte gives no measurement.
  if (record.first_byte_ms !== undefined) context.figures.called(channel.id, record.first_byte_ms - record.start_ms);
  if (rule.channel === 'well') health.succeeded(channel.id, call.model, caller);
  else if (rule.channel === 'nothing' || failure?.own !== undefined) health.released(channel.id, call.model, caller);
  else health.failed(channel.id, call.model, failure ?? (reason === 'stalled' ? timeoutFailure('idle') : invalidResponse()), caller);
}

/** Reports an attempt that failed before its response began. */
export function noteFailed(call: RunningCall, { channel, record }: NotedAttempt, failure: UpstreamFailure): void {
  const { context, health } = call.services;
  const caller = call.admission.user.id;
  record.end_ms = elapsed(call);
  record.error = nameIn(call, failure);
  // The gateway failed or refused the request: the channel is not affected.
  if (failure.own !== undefined) {
    health.released(channel.id, call.model, caller);
    return;
  }
  context.figures.called(channel.id, undefined);
  // A failure that the request caused does not affect the channel.
  const isOfChannel = isRetryable(failure, channel.provider) || failure.status >= 500;
  const isConfirmed = isOfChannel && health.failed(channel.id, call.model, failure, caller);
  if (!isOfChannel) health.released(channel.id, call.model, caller);
  const reason = reasonToDisable(context, channel, failure, { callerText: () => callerText(call), isConfirmed });
  if (reason !== null) context.waitUntil(disableChannel(context, channel.id, reason));
}

/** Reports an attempt that was stopped before its response began. */
export function noteStopped(call: RunningCall, { channel, record }: NotedAttempt): void {
  record.end_ms = elapsed(call);
  call.services.health.released(channel.id, call.model, call.admission.user.id);
}

/** Returns the JSON of body, API version and forwarded headers; null if the body is large. */
function callerText({ content, turn, clientHeaders }: RunningCall): string | null {
  return content.isLarge ? null : JSON.stringify([content.body, versionOf(turn), clientHeaders]);
}

function nameIn({ services }: RunningCall, failure: UpstreamFailure): string {
  return nameOf(failure, services.context.settings.get('AutomaticDisableKeywords'));
}
