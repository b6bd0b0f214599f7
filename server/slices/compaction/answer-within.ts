// Runs a nested call for the caller of a running call.
import { openBody } from '#server/call/admission/read-content.ts';
import { openCall } from '#server/call/admission/open-call.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { type WholeAnswer, wholeAnswer } from '#server/call/relay.ts';
import { type ReportedFailure, reportEnd } from '#server/call/relay-failure.ts';
import { releaseCall, type RunningCall, stopCall } from '#server/call/running-call.ts';
import type { Turn } from '#server/call/turn.ts';

/** Returns the whole response of the nested call after its settlement, or its failure. */
export async function answerWithin(call: RunningCall, body: RelayBody): Promise<WholeAnswer | ReportedFailure> {
  const { services } = call;
  const opened = await openCall(services, turnWithin(call, body));
  if ('refused' in opened) return { error: opened.refused.reported, retryAfter: opened.refused.error.retryAfter };
  const inner = opened.call;
  try {
    return await wholeAnswer(inner);
  } catch (failure) {
    services.context.log.error({ requestId: inner.requestId, err: failure }, 'a conversation could not be shortened');
    releaseCall(inner);
    return reportEnd(inner, { reason: 'fault' });
  } finally {
    call.stop.end = undefined;
    inner.content.release();
    inner.buffer?.ended();
  }
}

/** Turn of the nested call: same caller and session. It does not count against the rate limit. */
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
      const end = () => stopCall(inner);
      call.stop.end = end;
      if (call.stop.reason !== undefined) stopCall(inner);
    },
  };
}
