// Relays an upstream's stream to the client: events from the reader pass through the pipe between the formats to the client's
// stream, while the account can pay for them. Nothing is sent before the first content, so a failure before it can be retried on
// another channel. The end is held back until the call is settled.
import { AppError } from '#shared/errors.ts';
import type { DeepWhole } from '#server/formats/decoded-whole.ts';
import type { ResponsePart } from '#server/formats/parts.ts';
import { type ErrorInResponse, type PipeStep, pushWhole, type StreamPipe } from '#server/formats/stream-pipe.ts';
import type { EndReason } from '#server/call/call-end.ts';
import type { SentAttempt } from '#server/call/call-attempt.ts';
import { failureOfOurs, tooDeep } from '#server/call/relay-failure.ts';
import { elapsed, type RunningCall, writerOptions } from '#server/call/running-call.ts';
import { responseReading, restoredResponse } from '#server/call/stages.ts';
import type { ClientStream } from '#server/call/stream/client-stream.ts';
import { endStream } from '#server/call/stream/end-stream.ts';
import type { TimedStream } from '#server/call/stream/stream-clock.ts';
import { type SpendingStream, StreamSpending } from '#server/call/stream/stream-spending.ts';
import { StreamState } from '#server/call/stream/stream-state.ts';
import { type EventReceiver, UpstreamReader } from '#server/call/stream/upstream-reader.ts';
import { createPipe, readWhole } from '#server/exchange/read-response.ts';
import type { Counting } from '#server/exchange/token-estimate.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { failureInBody, invalidResponse, timeoutFailure, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** Maximum time and bytes of events without content before they are sent anyway. */
const longestEarlyMs = 1000;
const mostEarlyBytes = 64 * 1024;

export interface StreamRelayOptions {
  call: RunningCall;
  client: ClientStream;
  attempt: SentAttempt;
  stream: EventSource;
  /** Complete response in place of the stream. If undefined, the stream is read. */
  whole?: WholeParts;
}

interface WholeParts {
  parts: readonly ResponsePart[];
  /** Size of the provider's body. */
  bytes: number;
}

export class StreamRelay implements EventReceiver, TimedStream, SpendingStream {
  clockPlace = -1;
  readonly #options: StreamRelayOptions;
  readonly #state = new StreamState();
  readonly #reader: UpstreamReader;
  readonly #pipe: StreamPipe;
  readonly #counting: Counting;
  readonly #spending: StreamSpending;
  #unpassed: DeepWhole | null = null;
  /** Bytes without content, which are sent with the first content. Until then, a failure can be retried on another channel. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  /** Time of the first event, in monotonic milliseconds; null if none arrived. */
  #openedAt: number | null = null;

  constructor(options: StreamRelayOptions) {
    this.#options = options;
    const { call, attempt, stream } = options;
    const { route, upstreamModel } = attempt.request;
    this.#counting = { owner: call.admission.user.id, isEstimated: false };
    const reading = { writer: writerOptions(call), ...responseReading(call.stages, attempt.channel) };
    const pipe = createPipe({ client: call.endpoint.dialect, route, upstreamModel, ...reading }, this.#counting);
    let wrapped = call.conversation?.pipe(pipe) ?? pipe;
    for (const stage of call.stages) if (stage.pipe !== undefined) wrapped = stage.pipe(wrapped, call);
    this.#pipe = wrapped;
    this.#spending = new StreamSpending(call, this.#pipe, this);
    const idleMs = call.services.context.env.STREAMING_TIMEOUT * 1000 * (route.hasLongIdle ? 2 : 1);
    this.#reader = new UpstreamReader(stream, this, { framing: stream.framing ?? route.framing, idleMs });
  }

  /** Returns null once the response has begun, or the failure if it will not; a promise while neither is known. */
  opened(): UpstreamFailure | null | Promise<UpstreamFailure | null> {
    return this.#state.opened();
  }

  /** Complete response that is nested too deep; null if there is none. */
  get unpassed(): DeepWhole | null {
    return this.#unpassed;
  }

  start(): void {
    this.#options.call.services.clock.add(this);
    this.#options.client.attach(this, this.#pipe);
    const { whole } = this.#options;
    if (whole === undefined) this.#reader.start();
    else this.#guard(() => this.#passWhole(whole));
  }

  // Called by the client, the clock and the spending. Exceptions are caught, because callers do not handle them.

  /**
   * Ends the call, for its stop reason. A member of its own: V8 allocates a function literal that is assigned to an object's member in the old
   * generation, where it retains all that it refers to, here the call, until a full collection.
   */
  readonly stop = (): void => {
    this.#guard(() => this.#end(this.#options.call.stop.reason ?? 'client_disconnected'));
  };

  shutDown(): void {
    this.#guard(() => this.#end('shutdown'));
  }

  tick(now: number): void {
    this.#guard(() => {
      // A stream that the client or the gateway has paused is not silent.
      if (this.#options.client.isPaused || this.#spending.isSuspended) this.#reader.excuseSilence(now);
      this.#spending.tick();
      if (this.#openedAt !== null && now - this.#openedAt > longestEarlyMs) this.#flow();
      if (this.#reader.isSilent(now)) this.broken('stalled', timeoutFailure('idle'));
    });
  }

  /** Pauses reading, because the client reads slowly or more must be reserved first. */
  pause(): void {
    this.#guard(() => this.#reader.pause());
  }

  resume(): void {
    this.#guard(() => {
      if (!this.#spending.isSuspended && !this.#options.client.isPaused) this.#reader.resume();
    });
  }

  /** Ends the stream because the account cannot pay for more. */
  overdraw(): void {
    this.#guard(() => this.#end('overdraft'));
  }

  /** Ends the stream after an exception in the gateway; the received output is charged. */
  fault(cause: unknown): void {
    const { call, attempt } = this.#options;
    const { log } = call.services.context;
    log.error({ requestId: call.requestId, channel: attempt.channel.id, err: cause }, 'a stream failed unexpectedly');
    this.broken('fault', failureOfOurs(new AppError('internal_error', {}, { cause })));
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.fault(cause);
    }
  }

  // Called by the reader.

  events(reported: Buffer, isOwned: boolean): void {
    const events = restoredResponse(this.#options.call.stages, reported);
    if (this.#state.isOpening && this.#openedAt === null && !this.#canOpen(events)) return;
    if (this.#state.isOpening) this.#begin(this.#pipe.push(events, isOwned), isOwned);
    else if (this.#state.isFlowing) this.#pass(this.#pipe.push(events, isOwned));
  }

  ended(reported: Buffer): void {
    const rest = restoredResponse(this.#options.call.stages, reported);
    if (this.#state.isOpening && this.#openedAt === null && this.#readWhole(rest)) return;
    // Some upstreams omit the empty line after their last event. An incomplete event is dropped.
    if (rest.length > 0 && this.#pipe.isEvent(rest)) this.#reader.completeEvent();
    if (this.#openedAt !== null && this.#pipe.hasFinished()) this.#flow();
    if (this.#state.isOpening) this.broken('truncated', invalidResponse());
    else this.#end(this.#pipe.hasFinished() ? 'completed' : 'truncated');
  }

  /** Ends a stream that broke off. Before the first content, the failure can be retried on another channel. */
  broken(reason: EndReason, failure: UpstreamFailure): void {
    if (!this.#state.isOpening) {
      this.#end(reason);
      return;
    }
    this.#state.end();
    try {
      this.#options.call.services.clock.remove(this);
      this.#reader.abort();
      this.#options.client.detach();
      this.#pipe.close();
    } finally {
      this.#state.refuse(failure);
    }
  }

  /** Examines the first events: an error there is the upstream's response, not a stream. */
  #canOpen(events: Buffer): boolean {
    const opening = this.#pipe.open(events);
    if (opening === 'comments') return false;
    if (opening !== 'stream') {
      this.broken('upstream_failed', opening === 'invalid' ? invalidResponse() : this.#failureOf(opening));
      return false;
    }
    this.#open();
    return true;
  }

  #open(): void {
    this.#options.attempt.record.first_byte_ms = elapsed(this.#options.call);
    this.#openedAt = performance.now();
  }

  #passWhole({ parts, bytes }: WholeParts): void {
    this.#open();
    this.#begin(pushWhole(this.#pipe, parts, bytes), true);
  }

  /** Processes a step before the response has begun: holds bytes back until there is content. */
  #begin(step: PipeStep, isOwned: boolean): void {
    const { forClient, next } = step;
    if (this.#pipe.hasContent?.() !== false) {
      this.#flow();
      this.#pass(step);
    } else if (typeof next === 'object') this.broken('upstream_failed', this.#failureOf(next));
    else if (next === 'invalid' && !this.#pipe.hasFinished()) this.broken('invalid_response', invalidResponse());
    else if (next === 'more' && this.#earlyBytes <= mostEarlyBytes) {
      for (const piece of forClient) {
        this.#early.push(isOwned ? piece : Buffer.from(piece));
        this.#earlyBytes += piece.length;
      }
    } else {
      this.#flow();
      this.#pass(step);
    }
  }

  /** Begins the response and sends the bytes held back. */
  #flow(): void {
    if (!this.#state.isOpening) return;
    this.#state.flow();
    for (const piece of this.#early.splice(0)) if (piece.length > 0) this.#options.client.write(piece);
  }

  #pass({ forClient, next }: PipeStep): void {
    const { client } = this.#options;
    if (!this.#state.isFlowing) return;
    if (next === 'blocked') {
      this.#end('blocked_words');
      return;
    }
    if (next === 'complete') {
      // Bytes that arrived with the end wait for the settlement too, and are sent in one write.
      client.hold(forClient);
      this.#end('completed');
      return;
    }
    for (const piece of forClient) if (piece.length > 0) client.write(piece);
    if (next === 'more') this.#spending.check();
    else if (next === 'too_deep') this.#end('upstream_failed', tooDeep());
    else if (next === 'invalid') this.#end(this.#pipe.hasFinished() ? 'completed' : 'invalid_response');
    else this.#end('upstream_failed', this.#failureOf(next));
  }

  /** Reads a complete response or an error that was declared as an event stream; returns false if the body is neither. */
  #readWhole(rest: Buffer): boolean {
    if (!rest.toString('utf8').trimStart().startsWith('{')) return false;
    const { call, attempt } = this.#options;
    const decoded = readWhole({
      client: call.endpoint.dialect,
      kind: call.endpoint.kind,
      channel: attempt.channel,
      route: attempt.request.route,
      upstreamModel: attempt.request.upstreamModel,
      body: Buffer.from(rest),
      responseFields: call.responseFields,
      writer: writerOptions(call),
      ...responseReading(call.stages, attempt.channel),
    });
    if (decoded.kind === 'whole' && decoded.parts !== undefined) this.#passWhole({ parts: decoded.parts, bytes: rest.length });
    else if (decoded.kind === 'whole') this.#reader.replaceBy(decoded.events());
    else if (decoded.kind === 'too_deep') {
      this.#unpassed = decoded;
      this.broken('upstream_failed', tooDeep());
    } else if (decoded.failure.kind === 'invalid') return false;
    else this.broken('upstream_failed', decoded.failure);
    return true;
  }

  #failureOf(error: ErrorInResponse): UpstreamFailure {
    return failureInBody(error, this.#options.attempt.channel);
  }

  #end(reason: EndReason, failure?: UpstreamFailure): void {
    const wasOpening = this.#state.isOpening;
    if (!this.#state.end()) return;
    const { call } = this.#options;
    // Nothing was sent: the error is reported as for a call that has not begun.
    if (wasOpening) this.#options.client.detach();
    try {
      this.#spending.end();
      call.services.clock.remove(this);
      if (reason === 'completed') this.#reader.stop();
      else this.#reader.abort();
      this.#state.close();
    } finally {
      const { client, attempt } = this.#options;
      const ending = endStream(
        { call, client, attempt, pipe: this.#pipe, reader: this.#reader, counting: this.#counting },
        reason,
        failure,
      );
      call.services.context.waitUntil(ending);
    }
  }
}
