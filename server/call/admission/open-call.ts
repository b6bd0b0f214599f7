// Steps before the first attempt: authentication, request, permissions, reservation. A call that fails here costs nothing.
import type { AppError, Language } from '#shared/errors.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import { newRequestId } from '#server/http/request-id.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { withReplacedModel } from '#server/call/admission/replaced-model.ts';
import { admitCall, type AdmittedCall, clientHeadersOf, type Progress } from '#server/call/admission/admit-call.ts';
import type { CallContent } from '#server/call/admission/call-content.ts';
import type { CallConversation } from '#server/call/conversation-source.ts';
import { gatewayError, playgroundError } from '#server/call/relay-failure.ts';
import { checkMeasured } from '#server/call/admission/minutes-only.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import { reserveCall, type ReservedCall } from '#server/call/admission/reserve-call.ts';
import { releaseCall, type RunningCall } from '#server/call/running-call.ts';
import { everyHeaders } from '#server/call/every-headers.ts';
import type { RelayServices } from '#server/call/services.ts';
import { countedEndpoint, openStages, type RepeatedResponse, routingOf, type StageRun } from '#server/call/stages.ts';
import type { RepeatableTurn, Turn } from '#server/call/turn.ts';

/** A refused turn, and the error for its caller. */
export interface RefusedTurn {
  error: AppError;
  reported: ErrorObject;
  language: Language;
  requestId: string;
  /** Headers of the stages. */
  headers: Readonly<Record<string, string>>;
  /** Whether a console session is missing, so that the error is that of console calls. */
  isSignedOut: boolean;
}

/** A call with its reservation, a refusal, or a stored response in place of a call. */
export type OpenedTurn = { call: RunningCall } | { refused: RefusedTurn } | { repeated: RepeatedResponse };

/** Opens the call of a turn. Only repeatable turns get a stored response. Never rejects. */
export async function openCall(services: RelayServices, turn: RepeatableTurn): Promise<OpenedTurn>;
export async function openCall(services: RelayServices, turn: Turn): Promise<Exclude<OpenedTurn, { repeated: RepeatedResponse }>>;
export async function openCall(services: RelayServices, turn: Turn): Promise<OpenedTurn> {
  const { context } = services;
  const startedAt = performance.now();
  const requestId = newRequestId(context);
  let content: CallContent | undefined;
  let conversation: CallConversation | null = null;
  let reserved: ReservedCall | undefined;
  let call: RunningCall | undefined;
  let stages: readonly StageRun[] = [];
  const progress: Progress = { requestId, model: '' };
  try {
    const admitted = await admitCall(services, turn, progress);
    ({ content, conversation } = admitted);
    const { admission } = admitted;
    const opening = openStages((turn.stages ?? services.stages).of(admitted.endpoint, admission), admitted);
    stages = opening instanceof Promise ? await opening : opening;
    const repeated = stages.at(-1)?.repeated;
    if (repeated !== undefined) return leave(admitted, repeated);
    const endpoint = countedEndpoint(admitted.endpoint, stages);
    for (const stage of stages) if (stage.opened !== undefined) await stage.opened(countedCall(admitted, endpoint));
    // The reservation waits until the account's charges above their reservations are settled.
    const settling = services.settlement.excess.settled(admission.user.id);
    if (settling !== undefined) await settling;
    const reserving = reserveRequested(services, admitted, { endpoint, stages, quoted: quotedFor(services, admitted) });
    const opened = reserving instanceof Promise ? await reserving : reserving;
    ({ reserved } = opened);
    call = {
      ...opened,
      services,
      turn,
      endpoint,
      requestId,
      content,
      conversation,
      responseFields: endpoint.responseFields?.(content.body, turn.address) ?? noFields,
      parameters: admitted.parameters,
      stream: endpoint.kind.canStream && admitted.requested.isStream ? { contentType: admitted.requested.streamType } : null,
      clientHeaders: endpoint.surface.forwardedHeaders.length === 0 ? noFields : clientHeadersOf(endpoint, turn.request.headers),
      startedAt,
      createdAt: Math.floor(context.now() / 1000),
      attempts: [],
      sent: null,
      stages,
      stop: { reason: undefined, end: undefined },
      buffer: turn.connection === null || conversation?.later !== undefined ? undefined : services.responseBuffers.open(admission.user.id),
    };
    for (const stage of stages) if (stage.reserved !== undefined) await stage.reserved(call);
    if (conversation?.later === undefined) turn.follow(call);
    return { call };
  } catch (failure) {
    content?.release();
    conversation?.close();
    call?.buffer?.ended();
    if (call !== undefined) releaseCall(call);
    else if (reserved !== undefined) context.ledger.release(reserved.reservation);
    return { refused: refuseTurn(services, turn, { error: toAppError(failure, context, requestId), progress, stages }) };
  }
}

/** Returns the call with the endpoint that counts what stages add to the prompt. */
function countedCall(admitted: AdmittedCall, endpoint: RelayEndpoint): AdmittedCall {
  return endpoint === admitted.endpoint ? admitted : { ...admitted, endpoint, prompt: null };
}

/** Releases a call that is answered by a stored response. */
function leave({ content, conversation }: AdmittedCall, repeated: RepeatedResponse): OpenedTurn {
  content.release();
  conversation?.close();
  return { repeated };
}

/** @throws {AppError} `model_price_error`; as `checkMeasured` */
function quotedFor(
  { context: { quotes } }: RelayServices,
  { requested: { model }, admission: { group, user }, privateModel, endpoint: { kind } }: AdmittedCall,
): QuotedPrice {
  const quoted = privateModel === null ? quotes.priceOf(model, group, user) : quotes.priceOfTrained(privateModel.base, group, user);
  // Checked inline first, because most prices are by usage.
  if (quoted.price.kind === 'call' && kind.isWritten && kind.isInSession !== true) checkMeasured(model, quoted);
  return quoted;
}

/** Returns the quote of the group with the highest factor among those that may serve the call. */
function costliestQuote(
  { context: { quotes } }: RelayServices,
  { admission, model, quoted }: { admission: Admission; model: string; quoted: QuotedPrice },
): QuotedPrice {
  const { furtherGroups, user } = admission;
  if (furtherGroups === undefined) return quoted;
  const others = furtherGroups.map((group) => quotes.priceOf(model, group, user));
  return others.reduce((most, other) => (other.groupRatio > most.groupRatio ? other : most), quoted);
}

function refuseTurn(
  services: RelayServices,
  { endpoint, request, connection }: Turn,
  { error, progress, stages }: { error: AppError; progress: Progress; stages: readonly StageRun[] },
): RefusedTurn {
  const { requestId } = progress;
  const language = callerLanguage(request.headers);
  const ofSession = endpoint.callers === 'sessions';
  const isSignedOut = ofSession && progress.caller === undefined;
  if (!isSignedOut) noteRefusal(services, error, { request, connection, requestId, progress });
  const reported = (ofSession ? playgroundError : gatewayError)(error, language, requestId);
  return { error, reported, language, requestId, headers: everyHeaders(stages), isSignedOut };
}

interface OpenedCall {
  endpoint: RelayEndpoint;
  stages: readonly StageRun[];
  quoted: QuotedPrice;
}

interface ReservedModel extends Pick<RunningCall, 'admission' | 'model' | 'replaced'> {
  reserved: ReservedCall;
}

/** Budgets may replace each other's models. */
const mostReplacements = 3;

/** Reserves for the requested model or, at the end of a budget, for the one that takes its place. */
function reserveRequested(
  services: RelayServices,
  admitted: AdmittedCall,
  opened: OpenedCall,
  replacements = 0,
): ReservedModel | Promise<ReservedModel> {
  const { admission, parameters, prompt, content, requested, endpoint: called } = admitted;
  const { endpoint, stages, quoted } = opened;
  const { model } = requested;
  const { only, searchingTool } = routingOf(stages);
  const reserving = reserveCall(services, {
    admission,
    endpoint,
    model,
    only,
    body: content.body,
    parameters,
    // If stages add to the prompt, it is read again.
    prompt: endpoint === called ? prompt : null,
    quoted: costliestQuote(services, { admission, model, quoted }),
    needsTools: searchingTool !== undefined,
  });
  const isGrouped = admission.furtherGroups !== undefined;
  if (!(reserving instanceof Promise))
    return { admission, model, replaced: undefined, reserved: isGrouped ? { ...reserving, quoted } : reserving };
  return reserving.then(
    (reserved) => ({ admission, model, replaced: undefined, reserved: isGrouped ? { ...reserved, quoted } : reserved }),
    async (failure: unknown) => {
      const quote = (other: AdmittedCall) => quotedFor(services, other);
      const cheaper = replacements === mostReplacements ? null : withReplacedModel(services, admitted, failure, quote);
      if (cheaper === null) throw failure;
      const reserved = await reserveRequested(services, cheaper.admitted, { ...opened, quoted: cheaper.quoted }, replacements + 1);
      return { ...reserved, replaced: { model, budget: cheaper.budget } };
    },
  );
}

const noFields = {};
