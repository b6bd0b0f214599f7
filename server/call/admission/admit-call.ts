// Identifies the caller and the request: all checks before the reservation. Invalid calls are refused at no cost.
import type { RequestedCall } from '#server/formats/call-address.ts';
import type { CallParameters } from '#server/formats/client-dialect.ts';
import type { PromptContent } from '#server/formats/prompt-content.ts';
import type { Connection } from '#server/http/connection.ts';
import { type SessionIds, sessionOfCall } from '#server/formats/session-headers.ts';
import type { CallContent } from '#server/call/admission/call-content.ts';
import type { CallConversation } from '#server/call/conversation-source.ts';
import { endpointOf, type RelayBody, type RelayEndpoint } from '#server/call/endpoints.ts';
import type { PrivateModel } from '#server/call/stages.ts';
import { findModel } from '#server/call/admission/find-model.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import { checkSchemas, mostSchemaParts } from '#server/formats/schema-parts.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Turn } from '#server/call/turn.ts';
import { inServingGroup } from '#server/call/admission/auto-group.ts';
import { type Admission, checkStorage } from '#server/call/admission/admission.ts';

export interface AdmittedCall {
  turn: Turn;
  /** Endpoint of the request, by the shape of the body. */
  endpoint: RelayEndpoint;
  admission: Admission;
  /** Body of the call, which the receiver must release. */
  content: CallContent;
  /** Stored conversation, which the receiver must close; null if the call is stateless. */
  conversation: CallConversation | null;
  /** Body as its client sent it, before the conversation was inserted. Undefined: that of `content`. */
  received?: RelayBody;
  requested: RequestedCall;
  /** The caller's private model; null if channels serve the model. */
  privateModel: PrivateModel | null;
  parameters: CallParameters;
  /** Content of the prompt; null if not read yet. */
  prompt: PromptContent | null;
  /** Session ids that the client sent; null if none. */
  session: SessionIds | null;
}

/** Maximum characters of a forwarded header. */
const longestHeader = 8192;

/** Facts about a call that are known so far, for its refusal and for the log. */
export interface Progress {
  readonly requestId: string;
  /** Caller with a console session, once identified. */
  caller?: Admission;
  /** Model name; empty if not known yet. */
  model: string;
}

/**
 * Returns the call if its caller may use the model.
 * @throws {AppError} of the key, the body, the model, and the channels
 */
export async function admitCall(services: RelayServices, turn: Turn, progress: Progress): Promise<AdmittedCall> {
  const { gate, sessions } = services;
  const { request, connection } = turn;
  const ofSession = turn.endpoint.callers === 'sessions';
  const { within } = turn;
  const admitted =
    within !== undefined
      ? within.admission
      : ofSession
        ? sessions.admit({ request, connection, progress })
        : admitKey(services, request, connection);
  const caller = admitted instanceof Promise ? await admitted : admitted;
  // A token count reserves nothing, so the account is checked here.
  if (turn.endpoint.kind.isCount || isCostlyToRead(request.headers)) await checkMeans(services, caller);
  const content = await turn.readContent(caller.user.id);
  let conversation: CallConversation | null = null;
  try {
    const { body } = content;
    const endpoint = endpointOf(turn.endpoint, body);
    let admission = ofSession && within === undefined ? sessions.inGroup(caller, content.ours) : caller;
    if (ofSession) progress.caller = admission;
    let requested = endpoint.read(body, turn.address);
    if (requested.otherModels !== undefined) requested = servedCall(services, admission, requested);
    const { model } = requested;
    admission = inServingGroup(services, admission, { model, endpoint });
    progress.model = model;
    endpoint.check(body);
    if (content.parts > mostSchemaParts) checkSchemas(endpoint.dialect.schemasIn?.(body) ?? []);
    gate.checkModel(admission, model);
    // At the provider: chat completions that a call requests to store.
    if (admission.policies !== undefined && body['store'] === true && turn.conversations === undefined) checkStorage(admission, 'store');
    const finding = findModel(services, admission, { endpoint, model });
    const privateModel = finding === null ? null : await finding;
    // Read before a stored conversation replaces the client's body.
    const session = within === undefined ? sessionOfCall(endpoint.dialect, request.headers, body) : null;
    const opening =
      turn.conversations?.open({
        requestId: progress.requestId,
        caller: admission,
        body,
        bytes: content.bytes,
        isAnswered: endpoint.kind.isWritten,
        isCompaction: endpoint.isCompaction === true,
        envelope: turn.envelope,
      }) ?? null;
    conversation = opening instanceof Promise ? await opening : opening;
    if (conversation !== null) {
      await content.replaceLong(conversation.body, conversation.bytes);
      requested = endpoint.read(conversation.body, turn.address);
    }
    const parameters = endpoint.parameters(content.body);
    const prompt = content.isLarge ? endpoint.promptContent(content.body, model, true) : null;
    return {
      turn,
      endpoint,
      admission,
      content,
      conversation,
      requested,
      privateModel,
      parameters,
      prompt,
      session,
      received: conversation === null ? undefined : body,
    };
  } catch (failure) {
    content.release();
    conversation?.close();
    throw failure;
  }
}

function admitKey({ gate, addressOf }: RelayServices, request: Request, connection: Connection | null): Admission | Promise<Admission> {
  const admitted = gate.admit(request);
  if (admitted instanceof Promise) {
    return admitted.then((admission) => {
      gate.checkUse(admission, addressOf(request, connection));
      return admission;
    });
  }
  gate.checkUse(admitted, addressOf(request, connection));
  return admitted;
}

/** Bytes of a body above which an empty account is refused before the body is read. */
const shortBody = 16 * 1024;

function isCostlyToRead(headers: Headers): boolean {
  const length = headers.get('content-length');
  return length === null || Number(length) > shortBody || headers.has('content-encoding');
}

/**
 * Refuses an account that cannot pay one unit, the minimum cost of a call.
 * @throws {AppError} as `reserveQuota`
 */
export async function checkMeans(services: RelayServices, admission: Admission): Promise<void> {
  services.context.ledger.release(await reserveQuota(services, admission, { model: undefined, amount: 1, least: 1 }));
}

/** Returns the call of the first requested model that the caller may use and a channel serves. */
function servedCall(services: RelayServices, admission: Admission, requested: RequestedCall): RequestedCall {
  const { gate } = services;
  const { model, otherModels = [] } = requested;
  const isServed = (name: string) => {
    const { group } = inServingGroup(services, admission, { model: name });
    return gate.mayUse(admission, name) && services.channels.tiers(group, name).length > 0;
  };
  return { ...requested, model: [model, ...otherModels].find(isServed) ?? model };
}

/** Returns the client's headers that are forwarded to providers of the same format, by name. */
export function clientHeadersOf({ surface }: RelayEndpoint, headers: Headers): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of surface.forwardedHeaders) {
    const value = headers.get(name);
    if (value !== null && value.length <= longestHeader) forwarded[name] = value;
  }
  return forwarded;
}
