// What is known of a call while it runs; `relay.ts` fills it in order.
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
  readonly admission: Admission;
  readonly model: string;
  readonly content: CallContent;
  /** State that it refers to apart from its request, and leaves; null: none. */
  readonly conversation: CallConversation | null;
  /** The fields of the request that say how its response is written. */
  responseFields: Readonly<Record<string, unknown>>;
  readonly parameters: CallParameters;
  /** If null, the response is whole. */
  readonly stream: CallStream | null;
  /** The client's headers that are for a provider of the same format. */
  readonly clientHeaders: Readonly<Record<string, string>>;
  /** Monotonic milliseconds. A turn that is reserved for before it begins has its own beginning. */
  startedAt: number;
  /** Unix seconds. */
  createdAt: number;
  /** The reservation of the prompt that is sent; replaced when the prompt becomes shorter. */
  reserved: ReservedCall;
  readonly attempts: Attempt[];
  /** Request of the attempt that was sent last. If null, none was sent. */
  sent: SentRequest | null;
  /** The parts that stages have in the call, in their order. */
  readonly stages: readonly StageRun[];
  readonly stop: CallStop;
  /** What is in memory of its response, until the client's connection is done with it; undefined: there is none. */
  readonly buffer: ResponseBuffer | undefined;
}

/** Stream of a response. */
export interface CallStream {
  /** Content type, by the request until a provider reports another one. If undefined, the stream is of events. */
  contentType: string | undefined;
}

/** What a writer of responses needs to know of the call. */
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
    ...(onComplete === undefined ? {} : { onComplete }),
  };
}

/** Speaks to its caller until a stream does. */
export function voiceOf(call: RunningCall): StreamVoice {
  const { voiceOf: own, dialect } = call.endpoint;
  return own?.(call.responseFields) ?? dialect.createStreamWriter(writerOptions(call));
}

/** Tokens of all choices together that the provider was sent as the limit. If undefined, none. */
export function sentLimitOf(call: RunningCall): number | undefined {
  const { sent, parameters } = call;
  return sent?.sentLimit === undefined ? undefined : sent.sentLimit * (parameters.prompts ?? 1);
}

/** Milliseconds since the call began, to the microsecond. */
export function elapsed(call: RunningCall): number {
  return Math.round((performance.now() - call.startedAt) * 1000) / 1000;
}

/** Ends what the call and its stages hold. A call that is not settled costs nothing. */
export function releaseCall(call: RunningCall): void {
  const { services, reserved, stages } = call;
  services.context.ledger.release(reserved.reservation);
  for (const stage of stages) {
    stage.closed?.(call);
    stage.unanswered?.();
  }
}

/** The client's connection is gone: it has disconnected, or the server has cut it. The first call sets the reason. */
export function stopCall(call: RunningCall): void {
  const { stop, services } = call;
  stop.reason ??= services.isEnding() ? 'shutdown' : 'client_disconnected';
  stop.end?.();
}
