// A conversation that is to be shortened before a provider is asked that does not do so itself: a turn of the same caller has the model
// write a summary, reserved, settled and logged as any other, and the call goes on with that in place of what was said.
import type { Shortening, ShortenedPrompt } from '#server/formats/prompt-edits.ts';
import { toAppError } from '#server/http/failure.ts';
import { openBody } from '#server/call/admission/read-content.ts';
import { openCall } from '#server/call/admission/open-call.ts';
import { reserveCall } from '#server/call/admission/reserve-call.ts';
import type { CallAttempt } from '#server/call/call-attempt.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { reportEnd, reportError } from '#server/call/relay-failure.ts';
import type { ReportedFailure } from '#server/call/relay-failure.ts';
import { summaryKey } from '#server/call/stored-summaries.ts';
import { elapsed, releaseCall, stopCall } from '#server/call/running-call.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { onlyChannelOf } from '#server/call/stages.ts';
import type { Turn } from '#server/call/turn.ts';
import { mostTokensPerEstimated } from '#server/exchange/token-estimate.ts';

/** A whole response whose call is settled. */
export interface WholeAnswer {
  contentType: string;
  body: Buffer;
  /** Its caller had left. */
  wasRead: boolean;
}

/**
 * At most once for a call, before its first attempt at a provider of another format. What is returned is told the caller, and the call
 * holds no money then; null: it goes on.
 */
export async function shortenFor(
  call: RunningCall,
  { route, record }: CallAttempt,
  shortening: Shortening,
): Promise<ReportedFailure | null> {
  const { content, services } = call;
  if (isCarriedBy(route)) return null;
  if (content.isLarge) await content.prepare();
  const request = (await isBeyond(call, shortening.threshold)) ? shortening.request(content.body) : null;
  call.shortening = null;
  if (request === null) {
    if (call.stopped === undefined) content.replace(shortening.goOn(content.body, null).body);
    return null;
  }
  // An account that has little may have reserved all of it.
  services.context.ledger.release(call.reserved.reservation);
  const { asAnswer } = shortening;
  if (asAnswer !== undefined) return goOnWith(call, () => reported(call, { body: request, responseFields: asAnswer }));
  const answered = await summaryOf(call, request);
  // What the channel takes begins now.
  record.start_ms = elapsed(call);
  if (call.stopped !== undefined) return reportEnd(call, { reason: call.stopped });
  if ('error' in answered) return answered;
  return goOnWith(call, () => {
    const shortened = shortening.goOn(content.body, answered.body);
    // One that replaces nothing is no use to the next call either.
    if (shortened.isShorter !== true) call.summary = undefined;
    return reported(call, shortened);
  });
}

/** One that the same user has paid for, whose call has failed since, is not paid for again. */
async function summaryOf(call: RunningCall, request: RelayBody): Promise<{ body: Buffer } | ReportedFailure> {
  const { summaries } = call.services;
  const requested = { userId: call.admission.user.id, key: summaryKey(call.model, request) };
  const stored = summaries.take(requested);
  if (stored !== undefined) {
    call.summary = stored;
    return { body: stored.answer };
  }
  const answered = await answerTurn(call, request);
  if (!('error' in answered)) call.summary = { ...requested, answer: answered.body };
  return answered;
}

function reported(call: RunningCall, { body, responseFields }: ShortenedPrompt): RelayBody {
  if (responseFields !== undefined) {
    call.responseFields = { ...call.responseFields, ...responseFields };
    call.isTranslated = true;
  }
  return body;
}

/** The provider gets the request in its caller's own format. */
export function isCarriedBy(route: CallAttempt['route']): boolean {
  return route !== null && route.identity !== null;
}

async function isBeyond(
  { content, endpoint, model, reserved: { prompt }, admission }: RunningCall,
  threshold: number | null,
): Promise<boolean> {
  if (threshold === null) return true;
  if (prompt.expected * mostTokensPerEstimated < threshold) return false;
  const counting = { owner: admission.user.id, isEstimated: false };
  return (await content.countPrompt({ endpoint, model, estimate: prompt.tokens }, counting)) > threshold;
}

async function answerTurn(call: RunningCall, body: RelayBody): Promise<WholeAnswer | ReportedFailure> {
  const { services } = call;
  const opened = await openCall(services, turnWithin(call, body));
  if ('refused' in opened) return { error: opened.refused.reported, retryAfter: opened.refused.error.retryAfter };
  const inner = opened.call;
  try {
    return await services.answerWhole(inner);
  } catch (failure) {
    services.context.log.error({ requestId: inner.requestId, err: failure }, 'a conversation could not be shortened');
    releaseCall(inner);
    return reportEnd(inner, { reason: 'fault' });
  } finally {
    call.onStop = undefined;
    inner.content.release();
    inner.buffer?.ended();
  }
}

/** Of the same caller, in the same session. It does not count against the rate limit a second time. */
function turnWithin(call: RunningCall, body: RelayBody): Turn {
  const { turn, endpoint, admission, stages, services } = call;
  const { request, connection, address, envelope } = turn;
  return {
    endpoint,
    request,
    connection,
    address,
    envelope,
    isFree: true,
    within: { admission, stages },
    readContent: (userId) => openBody(services.context.bodies, { body, userId, names: endpoint.names }),
    follow(inner) {
      call.onStop = () => stopCall(inner);
      if (call.stopped !== undefined) stopCall(inner);
    },
  };
}

/** A shorter prompt takes the place of a long one, whose reservation has been released, and less is reserved for it. */
export async function goOnWith(call: RunningCall, bodyOf: () => RelayBody): Promise<ReportedFailure | null> {
  const { services, content, endpoint, admission, model, stages, quoted } = call;
  try {
    content.replace(bodyOf());
    const { body } = content;
    const parameters = endpoint.parameters(body);
    const only = onlyChannelOf(stages);
    call.reserved = await reserveCall(services, { admission, endpoint, model, only, body, parameters, prompt: null, quoted });
    return null;
  } catch (failure) {
    return reportError(call, toAppError(failure, services.context, call.requestId));
  }
}
