// One upstream's stream on its way to the client. Whole events are passed on as bytes; the end is held back until the call
// is settled. Before the first event nothing has reached the client, so a failure can still go to another channel.
import { AppError } from '#shared/errors.ts';
import type { Attempt, CallEnding } from '#shared/logs.ts';
import { countPromptOf, usageOfPrompt } from '#server/relay/accounting/charge-left-call.ts';
import type { ErrorObject, ResponseWriterOptions } from '#server/dialects/client-dialect.ts';
import type { ClientStream } from '#server/relay/stream/client-stream.ts';
import { learnFromCall } from '#server/relay/accounting/learn-from-call.ts';
import { chargeRow } from '#server/relay/accounting/log-row.ts';
import { completedUsage, countedUsage, isEstimate } from '#server/relay/accounting/metered-usage.ts';
import type { MeteredUsage } from '#server/relay/accounting/metered-usage.ts';
import { failureOfOurs, ownError, tellFailure } from '#server/relay/relay-failure.ts';
import { elapsed } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { StreamSpending } from '#server/relay/stream/stream-spending.ts';
import type { SpendingStream } from '#server/relay/stream/stream-spending.ts';
import type { TimedStream } from '#server/relay/stream/stream-clock.ts';
import type { ErrorInResponse, StreamPipe } from '#server/dialects/stream-pipe.ts';
import type { UpstreamRequest } from '#server/upstream/build-request.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { wholeAsStream } from '#server/relay/stream/whole-as-stream.ts';
import type { EventSource } from '#server/relay/stream/whole-as-stream.ts';
import { createPipe, readWhole } from '#server/upstream/read-response.ts';
import { EventSplitter } from '#server/framing/event-splitter.ts';
import type { SendFailure, StreamSink } from '#server/upstream/send.ts';
import type { Counting } from '#server/upstream/token-estimate.ts';
import { failureInBody, invalidAnswer, nameOf, networkFailure, timeoutFailure } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';

type StreamEnding = 'complete' | CallEnding;

interface FoundUsage {
  usage: MeteredUsage | null;
  isInvalid: boolean;
}

export interface StreamRelayOptions {
  call: RunningCall;
  client: ClientStream;
  channel: PreparedChannel;
  request: Pick<UpstreamRequest, 'upstreamModel' | 'isMapped' | 'reasoningEffort' | 'hasLongIdle'>;
  attempt: Attempt;
  stream: EventSource;
}

/** An event longer than this is no event. */
const largestEvent = 16 * 1024 * 1024;
/** An upstream that has said `[DONE]` and does not hang up is hung up on. */
const lingerMs = 1_000;

export class StreamRelay implements StreamSink, TimedStream, SpendingStream {
  clockPlace = -1;
  readonly #options: StreamRelayOptions;
  readonly #pipe: StreamPipe;
  readonly #counting: Counting;
  readonly #spending: StreamSpending;
  readonly #idleMs: number;
  /** Undefined until it is known whether there will be a stream. */
  #opening: UpstreamFailure | null | undefined;
  #waitsForOpening: ((failure: UpstreamFailure | null) => void) | undefined;
  #state: 'opening' | 'flowing' | 'ended' = 'opening';
  #events = new EventSplitter();
  #lastByteAt = performance.now();
  #hasUpstreamEnded = false;
  #last: readonly Buffer[] = [];

  constructor(options: StreamRelayOptions) {
    this.#options = options;
    const { call, channel, request } = options;
    this.#counting = { owner: call.admission.user.id, isEstimated: false };
    const { upstreamModel } = request;
    this.#pipe = createPipe({ client: call.endpoint.dialect, channel, upstreamModel, writer: writerOptions(call) }, this.#counting);
    this.#spending = new StreamSpending(call, this.#pipe, this);
    this.#idleMs = call.services.context.env.STREAMING_TIMEOUT * 1000 * (request.hasLongIdle ? 2 : 1);
  }

  /** Null once the first event is there; the failure when there will be none. A promise only while neither is known. */
  opened(): UpstreamFailure | null | Promise<UpstreamFailure | null> {
    if (this.#opening !== undefined) return this.#opening;
    return new Promise((resolve) => {
      this.#waitsForOpening = resolve;
    });
  }

  #open(failure: UpstreamFailure | null): void {
    this.#opening = failure;
    this.#waitsForOpening?.(failure);
  }

  start(): void {
    this.#options.call.services.clock.add(this);
    this.#options.client.attach(this);
    this.#options.stream.read(this);
  }

  // What calls the stream from outside: sockets, timers, the client. An exception must not leave it: it would end the process,
  // and with it everybody's streams.

  /** The client's connection has closed. */
  clientLeft(): void {
    this.#guard(() => this.#finish(this.#options.call.services.isEnding() ? 'shutdown' : 'client_closed'));
  }

  shutDown(): void {
    this.#guard(() => this.#finish('shutdown'));
  }

  tick(now: number): void {
    this.#guard(() => this.#tick(now));
  }

  data(chunk: Buffer, isOwned: boolean): void {
    this.#guard(() => this.#read(chunk, isOwned));
  }

  end(): void {
    this.#guard(() => this.#readEnd());
  }

  fail(failure: SendFailure): void {
    this.#hasUpstreamEnded = true;
    if (failure.reason === 'aborted') return;
    const isSenseless = failure.reason === 'unreadable' || failure.reason === 'too_large';
    this.#guard(() => this.#failBeforeOrAfter(failureOf(failure), isSenseless ? 'invalid_answer' : 'truncated'));
  }

  /** The client reads slowly, or it is not known whether it can pay for more. */
  pause(): void {
    this.#guard(() => this.#options.stream.pause());
  }

  resume(): void {
    this.#guard(() => {
      if (!this.#spending.isHeld && !this.#options.client.isPaused) this.#options.stream.resume();
    });
  }

  /** The account has no more. */
  overdraw(): void {
    this.#guard(() => this.#finish('overdraft'));
  }

  /** Our own fault: this stream ends with an error, and what came is charged. */
  fault(cause: unknown): void {
    const { call, channel } = this.#options;
    call.services.context.log.error({ requestId: call.requestId, channel: channel.id, err: cause }, 'a stream failed unexpectedly');
    this.#failBeforeOrAfter(failureOfOurs(new AppError('internal_error', {}, { cause })), 'fault');
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.fault(cause);
    }
  }

  #tick(now: number): void {
    // Silence that the client or we asked for is not the upstream's.
    if (this.#options.client.isPaused || this.#spending.isHeld) this.#lastByteAt = now;
    this.#spending.tick();
    if (now - this.#lastByteAt < this.#idleMs) return;
    this.#failBeforeOrAfter(timeoutFailure('idle'), 'stalled');
  }

  #read(chunk: Buffer, isOwned: boolean): void {
    if (this.#state === 'ended') return;
    this.#lastByteAt = performance.now();
    const events = this.#events.push(chunk);
    if (this.#events.restLength > largestEvent) {
      this.#failBeforeOrAfter(invalidAnswer(), 'invalid_answer');
      return;
    }
    if (events === null) return;
    if (this.#state === 'opening' && !this.#canOpen(events)) return;
    this.#pass(events, isOwned || events.buffer !== chunk.buffer);
  }

  #readEnd(): void {
    this.#hasUpstreamEnded = true;
    if (this.#state === 'ended') return;
    if (this.#state === 'opening' && this.#readWhole()) return;
    // Some upstreams leave the empty line behind their last event out. Half an event is dropped.
    if (this.#events.restLength > 0 && this.#pipe.isEvent(this.#events.rest())) this.#read(Buffer.from('\n\n'), true);
    if (this.#state === 'opening') this.#failBeforeOrAfter(invalidAnswer(), 'truncated');
    else this.#finish(this.#pipe.hasFinished() ? 'complete' : 'truncated');
  }

  /** A whole answer, or an error, that calls itself an event stream. */
  #readWhole(): boolean {
    const body = Buffer.from(this.#events.rest());
    if (!body.toString('utf8').trimStart().startsWith('{')) return false;
    const { call, channel, request } = this.#options;
    const { capability, dialect } = call.endpoint;
    const { upstreamModel } = request;
    const decoded = readWhole({
      client: dialect,
      capability,
      channel,
      upstreamModel,
      body,
      responseFields: call.responseFields,
      writer: writerOptions(call),
    });
    if (decoded.kind === 'failed') {
      if (decoded.failure.kind === 'invalid') return false;
      this.#failBeforeOrAfter(decoded.failure, 'upstream_error');
      return true;
    }
    this.#events = new EventSplitter();
    wholeAsStream(decoded.events()).read({
      data: (chunk, isOwned) => this.#read(chunk, isOwned),
      end: () => this.#readEnd(),
      fail: () => {},
    });
    return true;
  }

  #failBeforeOrAfter(failure: UpstreamFailure, ending: StreamEnding): void {
    if (this.#state === 'flowing') {
      this.#finish(ending);
      return;
    }
    if (this.#state !== 'opening') return;
    this.#state = 'ended';
    try {
      this.#options.call.services.clock.remove(this);
      this.#options.stream.abort();
      this.#pipe.close();
    } finally {
      this.#open(failure);
    }
  }

  /** Looks at the first events: an error there is the upstream's answer, not a stream. */
  #canOpen(events: Buffer): boolean {
    const opening = this.#pipe.open(events);
    if (opening === 'comments') return false;
    if (opening !== 'stream') {
      this.#failBeforeOrAfter(opening === 'invalid' ? invalidAnswer() : this.#failureOf(opening), 'upstream_error');
      return false;
    }
    this.#state = 'flowing';
    this.#options.attempt.first_byte_ms = elapsed(this.#options.call);
    this.#open(null);
    return true;
  }

  #pass(events: Buffer, isOwned: boolean): void {
    const { forClient, next } = this.#pipe.pass(events, isOwned);
    if (this.#state !== 'flowing') return;
    if (next === 'complete') {
      // What came together with the ending waits for the settlement with it and leaves in one write.
      this.#last = forClient;
      this.#finish('complete');
      return;
    }
    for (const piece of forClient) if (piece.length > 0) this.#options.client.write(piece);
    if (next === 'more') this.#spending.check();
    else if (next === 'invalid') this.#finish(this.#pipe.hasFinished() ? 'complete' : 'invalid_answer');
    else this.#finish('upstream_error', this.#failureOf(next));
  }

  #failureOf(error: ErrorInResponse): UpstreamFailure {
    return failureInBody(error, this.#options.channel);
  }

  #finish(ending: StreamEnding, failure?: UpstreamFailure): void {
    if (this.#state === 'ended') return;
    const hadOpened = this.#state === 'flowing';
    this.#state = 'ended';
    const { call, stream } = this.#options;
    try {
      this.#spending.end();
      call.services.clock.remove(this);
      if (ending !== 'complete') stream.abort();
      if (!hadOpened) this.#open(null);
    } finally {
      call.services.context.waitUntil(this.#complete(ending, failure).catch((fault: unknown) => this.#giveUp(fault)));
    }
  }

  async #complete(ending: StreamEnding, failure?: UpstreamFailure): Promise<void> {
    const { call, channel, client, request, attempt, stream } = this.#options;
    const { services } = call;
    const found = await this.#usage().catch((cause: unknown) => this.#roughUsage(cause));
    // Nothing of it has come, but the upstream had it.
    const usage = found.usage ?? (ending === 'client_closed' ? await usageOfPrompt(call) : null);
    const { isInvalid } = found;
    const isWell = ending === 'complete' && !isInvalid;
    const outcome: StreamEnding = ending === 'complete' && isInvalid ? 'invalid_usage' : ending;
    attempt.end_ms = elapsed(call);
    const keywords = services.context.settings.get('AutomaticDisableKeywords');
    if (outcome !== 'complete') attempt.error = failure === undefined ? outcome : nameOf(failure, keywords);
    this.#noteHealth(outcome, failure);
    const row = chargeRow(call, {
      usage,
      channelId: channel.id,
      upstreamModel: request.isMapped ? request.upstreamModel : undefined,
      reasoningEffort: request.reasoningEffort,
      firstByteMs: attempt.first_byte_ms,
      ending: outcome === 'complete' ? undefined : outcome,
      ...(outcome === 'client_closed' && usage !== null && usage.completionSource !== 'upstream'
        ? { afterLeaving: isEstimate(usage) ? 'estimated' : 'counted' }
        : {}),
      ...(failure === undefined ? {} : { problem: failure.message }),
    });
    if (isWell && usage !== null) learnFromCall(call, usage, attempt.first_byte_ms);
    services.use.add(channel.id, row.quota);
    await services.context.ledger.settle(call.reservation, row);
    if (isWell && call.pass !== null) await call.pass.succeeded();
    if (isWell) client.end(...this.#last, this.#pipe.ending(usage));
    else client.fail(this.#problem(outcome, failure), ...this.#last);
    this.#pipe.close();
    if (!this.#hasUpstreamEnded && ending === 'complete') setTimeout(() => stream.abort(), lingerMs).unref();
  }

  /** What the upstream told, as far as it can be believed; else what was counted. */
  async #usage(): Promise<FoundUsage> {
    const { usage: tokens, isInvalid, hasTextAfter } = this.#pipe.reportedUsage();
    if (tokens === null) return { usage: await this.#countedUsage(), isInvalid };
    const usage = await completedUsage(tokens, hasTextAfter, {
      prompt: () => countPromptOf(this.#options.call),
      completion: () => this.#pipe.countTokens(),
    });
    return { usage, isInvalid };
  }

  /** Also a stream whose usage cannot be read is charged. */
  #roughUsage(cause: unknown): FoundUsage {
    const { call } = this.#options;
    call.services.context.log.error({ requestId: call.requestId, err: cause }, 'the usage of a stream could not be read and is estimated');
    const usage = countedUsage(call.prompt.tokens, this.#pipe.roughTokens(), true);
    return { usage: this.#pipe.bytes === 0 ? null : usage, isInvalid: false };
  }

  /** What was not settled was not answered: the client sees its connection break. */
  #giveUp(fault: unknown): never {
    const { call, client } = this.#options;
    client.cut();
    this.#pipe.close();
    call.services.context.ledger.release(call.reservation);
    throw fault;
  }

  #noteHealth(outcome: StreamEnding, failure: UpstreamFailure | undefined): void {
    const { call, channel, attempt } = this.#options;
    const { health, figures } = call.services;
    // At its end, so that a failure is counted with its call. Who left before the first byte tells nothing.
    if (attempt.first_byte_ms !== undefined) figures.called(channel.id, attempt.first_byte_ms - attempt.start_ms);
    if (outcome === 'complete' || outcome === 'overdraft') health.succeeded(channel.id, call.model);
    else if (outcome === 'client_closed' || outcome === 'shutdown' || outcome === 'fault') health.released(channel.id, call.model);
    else health.failed(channel.id, call.model, failure ?? (outcome === 'stalled' ? timeoutFailure('idle') : invalidAnswer()));
  }

  /** Counts what the upstream did not tell. */
  async #countedUsage(): Promise<MeteredUsage | null> {
    const { call } = this.#options;
    if (this.#pipe.bytes === 0) return null;
    const [promptTokens, completionTokens] = await Promise.all([
      call.content.countPrompt({ endpoint: call.endpoint, model: call.model, estimate: call.prompt.tokens }, this.#counting),
      this.#pipe.countTokens(),
    ]);
    return countedUsage(promptTokens, completionTokens, this.#counting.isEstimated);
  }

  #problem(outcome: StreamEnding, failure: UpstreamFailure | undefined): ErrorObject {
    const { language, requestId, services } = this.#options.call;
    const keywords = services.context.settings.get('AutomaticDisableKeywords');
    const own = (
      code:
        | 'upstream_truncated'
        | 'upstream_timeout'
        | 'overdraft_stopped'
        | 'invalid_upstream_response'
        | 'shutting_down'
        | 'internal_error',
    ) => ownError(new AppError(code), language, requestId);
    if (failure !== undefined && failure.kind === 'answer') return tellFailure(failure, { language, requestId, keywords }).error;
    if (outcome === 'stalled') return own('upstream_timeout');
    if (outcome === 'shutdown') return own('shutting_down');
    if (outcome === 'overdraft') return own('overdraft_stopped');
    if (outcome === 'truncated') return own('upstream_truncated');
    if (outcome === 'fault') return own('internal_error');
    return own('invalid_upstream_response');
  }
}

function failureOf(failure: SendFailure): UpstreamFailure {
  if (failure.reason === 'timeout') return timeoutFailure('idle');
  return failure.reason === 'unreadable' || failure.reason === 'too_large' ? invalidAnswer() : networkFailure();
}

/** What a writer of responses needs to know of the call. */
export function writerOptions(call: RunningCall): ResponseWriterOptions {
  const { requestId, model, createdAt, wantsUsage, prompt } = call;
  return { requestId, model, createdAt, wantsUsage, promptEstimate: prompt.tokens };
}
