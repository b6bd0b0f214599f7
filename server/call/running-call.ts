// State of a running call.
import type { Attempt } from '#shared/logs.ts';
import type { CallParameters, ResponseWriterOptions, StreamVoice } from '#server/formats/client-dialect.ts';
import type { ResponseBuffer } from '#server/call/settlement/response-buffers.ts';
import type { CallContent } from '#server/call/admission/call-content.ts';
import type { CallConversation } from '#server/call/conversation-source.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import type { CallStop } from '#server/call/call-end.ts';
import type { ReservedCall } from '#server/call/admission/reserve-call.ts';
import type { StageRun } from '#server/call/stages.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Turn } from '#server/call/turn.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';

export interface RunningCall {
  readonly services: RelayServices;
  readonly turn: Turn;
  readonly endpoint: RelayEndpoint;
  readonly requestId: string;
  /** Calls of group `auto` may move on to another group. */
  admission: Admission;
  readonly model: string;
  /** Model that the caller requested, and the budget at whose end `model` took its place; undefined for most calls. */
  readonly replaced?: ReplacedModel | undefined;
  readonly content: CallContent;
  /** Stored conversation that the call continues or leaves; null if stateless. */
  readonly conversation: CallConversation | null;
  /** Request fields that determine how the response is written. */
  responseFields: Readonly<Record<string, unknown>>;
  readonly parameters: CallParameters;
  /** Stream of the response; null for a complete response. */
  readonly stream: CallStream | null;
  /** Client headers that are forwarded to a provider of the same format. */
  readonly clientHeaders: Readonly<Record<string, string>>;
  /** Start in monotonic milliseconds; for a turn that was reserved in advance, its own start. */
  startedAt: number;
  /** Unix seconds. */
  createdAt: number;
  /** Reservation for the prompt that is sent; replaced with the prompt. */
  reserved: ReservedCall;
  readonly attempts: Attempt[];
  /** Request sent last; null if none was sent. */
  sent: SentRequest | null;
  /** Stages of the call, in order. */
  readonly stages: readonly StageRun[];
  readonly stop: CallStop;
  /** Memory of a complete response until the client has received it. If undefined, it is not counted. */
  readonly buffer: ResponseBuffer | undefined;
}

export interface ReplacedModel {
  model: string;
  budget: string;
}

/** Stream of a response. */
export interface CallStream {
  /** Content type, by the request until a provider reports another one. If undefined, the stream is of events. */
  contentType: string | undefined;
}

/** Returns the options for response writers. */
export function writerOptions(call: RunningCall): ResponseWriterOptions {
  const { requestId, model, createdAt, parameters, reserved, responseFields, turn, services } = call;
  const { envelope, onComplete } = turn;
  const now = () => Math.floor(services.context.now() / 1000);
  return {
    requestId,
    model,
    createdAt,
    wantsUsage: parameters.wantsUsage,
    promptEstimate: reserved.prompt.tokens,
    requested: responseFields,
    now,
    envelope,
    onComplete,
  };
}

/** Returns the writer of keep-alives and errors before there is a stream. */
export function voiceOf(call: RunningCall): StreamVoice {
  const { voiceOf: own, dialect } = call.endpoint;
  return own?.(call.responseFields) ?? dialect.createStreamWriter(writerOptions(call));
}

/** Returns the limit of all choices that was sent to the provider; undefined if none. */
export function sentLimitOf(call: RunningCall): number | undefined {
  const { sent, parameters } = call;
  return sent?.sentLimit === undefined ? undefined : sent.sentLimit * (parameters.prompts ?? 1);
}

/** Milliseconds since the call began, to the microsecond. */
export function elapsed(call: RunningCall): number {
  return Math.round((performance.now() - call.startedAt) * 1000) / 1000;
}

/** Releases what the call and its stages hold. A call that is not settled is free. */
export function releaseCall(call: RunningCall): void {
  const { services, reserved, stages } = call;
  services.context.ledger.release(reserved.reservation);
  for (const stage of stages) {
    stage.closed?.(call);
    stage.unanswered?.();
  }
}

/** Stops a call whose client has disconnected, or was disconnected at shutdown. The first call sets the reason. */
export function stopCall(call: RunningCall): void {
  const { stop, services } = call;
  stop.reason ??= services.isEnding() ? 'shutdown' : 'client_disconnected';
  stop.end?.();
}
