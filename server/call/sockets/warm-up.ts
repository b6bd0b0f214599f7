// Handles a warm-up, a turn without a response: its input is validated and stored for the next turn. No upstream is called, and
// nothing is charged.
import { noTokens } from '#shared/token-usage.ts';
import { toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { admitCall, type Progress } from '#server/call/admission/admit-call.ts';
import type { CallContent } from '#server/call/admission/call-content.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import { gatewayError, withHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import { checkPrompt } from '#server/call/text-guard.ts';
import type { StreamedTurn } from '#server/call/turn.ts';

/** Resolves when the last message was sent. Never rejects. */
export async function warmUp(services: RelayServices, turn: StreamedTurn): Promise<void> {
  const { context, stages } = services;
  const { endpoint, request, connection, envelope, onComplete } = turn;
  const requestId = newRequestId(context);
  const progress: Progress = { requestId, model: '' };
  let content: CallContent | undefined;
  try {
    const admitted = await admitCall(services, turn, progress);
    const { requested, conversation } = admitted;
    ({ content } = admitted);
    // A warm-up is stored by the connection only.
    conversation?.close();
    if (stages.guard.isOn) await checkPrompt(stages.guard, admitted);
    const seconds = () => Math.floor(context.now() / 1000);
    const writer = endpoint.dialect.createStreamWriter({
      requestId,
      model: requested.model,
      createdAt: seconds(),
      wantsUsage: true,
      promptEstimate: 0,
      requested: endpoint.responseFields?.(content.body, turn.address) ?? {},
      now: seconds,
      envelope,
      onComplete,
    });
    const outlet = turn.openOutlet();
    outlet.write(Buffer.from(writer.end(noTokens)));
    outlet.end();
  } catch (failure) {
    content?.release();
    const error = toAppError(failure, context, requestId);
    noteRefusal(services, error, { request, connection, requestId, progress });
    const reported = gatewayError(error, callerLanguage(request.headers), requestId);
    turn.refuse(withHeaders(reported, { requestId, retryAfter: error.retryAfter }));
  }
}
