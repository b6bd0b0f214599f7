// Everything before a channel is asked: who calls, what is asked, and whether that is allowed and paid for. Whatever is wrong is answered at once, and
// nothing has been spent.
import type { Connection } from '#server/http/connection.ts';
import { failureResponse, toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import { dropBody } from '#server/http/read-body.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { admitCall, clientHeadersOf } from '#server/relay/admission/admit-call.ts';
import type { Progress } from '#server/relay/admission/admit-call.ts';
import type { CallContent } from '#server/relay/admission/call-content.ts';
import type { CallConversation, ConversationSource } from '#server/relay/conversation-source.ts';
import { callAddress } from '#server/dialects/call-address.ts';
import type { RelayEndpoint } from '#server/relay/endpoints.ts';
import { errorResponse, ownError, playgroundError } from '#server/relay/relay-failure.ts';
import { noteRefusal } from '#server/relay/admission/note-refusal.ts';
import { reserveCall } from '#server/relay/admission/reserve-call.ts';
import type { ReservedCall } from '#server/relay/admission/reserve-call.ts';
import type { BudgetHold } from '#server/relay/admission/session-budget.ts';
import { stopCall } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import type { RelayServices } from '#server/relay/services.ts';

/** The call, its money reserved; or the response that refuses it. */
export async function openCall(
  services: RelayServices,
  endpoint: RelayEndpoint,
  request: Request,
  connection: Connection | null,
  { source, pathModel }: { source: ConversationSource | undefined; pathModel: string | undefined },
): Promise<{ call: RunningCall } | Response> {
  const { context } = services;
  const startedAt = performance.now();
  const requestId = newRequestId(context);
  const language = callerLanguage(request.headers);
  let content: CallContent | undefined;
  let conversation: CallConversation | null = null;
  const progress: Progress = { model: '' };
  const address = callAddress(request, { model: pathModel, verb: endpoint.pattern.verb });
  try {
    const admitted = await admitCall(services, endpoint, { request, connection, progress, address, conversations: source });
    content = admitted.content;
    conversation = admitted.conversation;
    const { admission, asked, parameters, prompt, permit, session } = admitted;
    const { model } = asked;
    const { body } = content;
    const quoted = context.quotes.priceOf(model, admission.group, admission.user);
    const settling = services.excess.settled(admission.user.id);
    if (settling !== undefined) await settling;
    const reserving = reserveCall(services, { admission, endpoint, model, body, parameters, prompt, quoted });
    const reserved = reserving instanceof Promise ? await reserving : reserving;
    const budgeting = services.budgets.enter(session, admission, reserved.expected);
    const budgetHold = budgeting === null ? null : await heldBudget(services, budgeting, reserved);
    const call: RunningCall = {
      services,
      endpoint,
      requestId,
      language,
      admission,
      model,
      content,
      conversation,
      responseFields: endpoint.responseFields?.(body, address) ?? noFields,
      wantsUsage: parameters.wantsUsage,
      isStream: endpoint.kind.canStream && asked.isStream,
      streamType: asked.streamType,
      clientHeaders: clientHeadersOf(endpoint, request.headers),
      version: address.query.get('api-version') ?? undefined,
      startedAt,
      createdAt: Math.floor(context.now() / 1000),
      quoted,
      // Written out: a copy of all fields is many times as dear.
      reservation: reserved.reservation,
      prompt: reserved.prompt,
      choices: reserved.choices,
      outputBound: reserved.outputBound,
      choiceLimit: reserved.choiceLimit,
      outputMost: reserved.outputMost,
      outputLimit: reserved.outputLimit,
      mostTokenBytes: parameters.mostTokenBytes,
      permit,
      session,
      budgetHold,
      attempts: [],
      dropped: [],
      sentLimit: undefined,
      stopped: undefined,
      buffer: connection === null || conversation?.later !== undefined ? undefined : services.responseBuffers.open(admission.user.id),
      onStop: undefined,
    };
    if (connection !== null && conversation?.later === undefined) watchConnection(call, connection);
    return { call };
  } catch (failure) {
    content?.release();
    conversation?.close();
    if (connection !== null) dropBody(connection);
    const error = toAppError(failure, context, requestId);
    // Nobody is signed in: the console hears of it as in all of its calls.
    if (endpoint.callers === 'sessions' && progress.caller === undefined) return failureResponse(error, language, requestId);
    noteRefusal(services, error, { request, connection, requestId, progress });
    const told = endpoint.callers === 'sessions' ? playgroundError : ownError;
    return errorResponse(endpoint.dialect, told(error, language, requestId), requestId, error.retryAfter);
  }
}

const noFields = {};

async function heldBudget({ context }: RelayServices, budgeting: Promise<BudgetHold>, { reservation }: ReservedCall): Promise<BudgetHold> {
  try {
    return await budgeting;
  } catch (failure) {
    context.ledger.release(reservation);
    throw failure;
  }
}

function watchConnection(call: RunningCall, { res }: Connection): void {
  // The key, the rate limit and the money may have taken a while, and a close that has been is not told again.
  if (res.closed || res.destroyed) {
    call.content.release();
    stopCall(call);
  }
  res.on('close', () => {
    call.content.release();
    // While an attempt runs, a whole response may be read on for its charge: the attempt ends its buffer.
    if (call.onStop === undefined || call.isStream) call.buffer?.ended();
    if (res.writableFinished) return;
    stopCall(call);
  });
}
