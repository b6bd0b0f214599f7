// Replaces the prompt of a call whose reservation is released, and reserves for the new one.
import { toAppError } from '#server/http/failure.ts';
import { reserveCall } from '#server/call/admission/reserve-call.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { type ReportedFailure, reportError } from '#server/call/relay-failure.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import { routingOf } from '#server/call/stages.ts';

/** Returns null if the call continues with the new prompt, else the failure that ends it; the call holds no money then. */
export async function replacePrompt(call: RunningCall, bodyOf: () => RelayBody): Promise<ReportedFailure | null> {
  const { services, content, endpoint, admission, model, stages } = call;
  const { quoted } = call.reserved;
  try {
    content.replace(bodyOf());
    const { body } = content;
    const parameters = endpoint.parameters(body);
    const only = routingOf(stages).only;
    call.reserved = await reserveCall(services, { admission, endpoint, model, only, body, parameters, prompt: null, quoted });
    return null;
  } catch (failure) {
    return reportError(call, toAppError(failure, services.context, call.requestId));
  }
}
