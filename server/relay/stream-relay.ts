// One upstream's stream on its way to the client. Whole events are passed on as bytes; the end is held back until the call
// is settled. Before the first event nothing has reached the client, so a failure can still go to another channel.
import { AppError } from '#shared/errors.ts';
import type { Attempt, CallEnding } from '#shared/logs.ts';
import type { ClientStream } from '#server/relay/client-stream.ts';
import { chargeRow } from '#server/relay/log-row.ts';
import { countedUsage, toldUsage, withCompletion } from '#server/relay/metered-usage.ts';
import type { MeteredUsage } from '#server/relay/metered-usage.ts';
import { errorEvent, ownError } from '#server/relay/relay-failure.ts';
import { elapsed } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { StreamSpending } from '#server/relay/stream-spending.ts';
import type { SpendingStream } from '#server/relay/stream-spending.ts';
import type { TimedStream } from '#server/relay/stream-clock.ts';
import { errorInAnswer } from '#server/upstream/dialects/openai/response.ts';
import type { UpstreamRequest } from '#server/upstream/dialects/openai/request.ts';
import { wantsUsage } from '#server/upstream/dialects/openai/request.ts';
import { createStreamTransform, isUsageOnly } from '#server/upstream/dialects/openai/stream.ts';
import { mayHoldError, soundPart, withoutUsage } from '#server/upstream/dialects/openai/stream-bytes.ts';
import type { StreamTransform } from '#server/upstream/dialects/openai/stream.ts';
import { isAbsurdUsage, readUsage, usageObject } from '#server/upstream/dialects/openai/usage.ts';
import { parseObject } from '#server/upstream/loose-json.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { EventSource } from '#server/relay/completion-events.ts';
import type { SendFailure, StreamSink } from '#server/upstream/send.ts';
import { doneEvent, endOfLastEvent, eventData, firstEventData, toEvent } from '#server/upstream/sse.ts';
import { countPromptTokens, countText } from '#server/upstream/token-estimate.ts';
import { invalidAnswer, nameOf, networkFailure, timeoutFailure } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';
import { UsageMeter } from '#server/upstream/usage-meter.ts';
import type { ReportedUsage } from '#server/upstream/usage-meter.ts';

type StreamEnding = 'complete' | CallEnding;

export interface StreamRelayOptions {
  call: RunningCall;
  client: ClientStream;
  channel: PreparedChannel;
  request: UpstreamRequest;
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
  readonly #meter: UsageMeter;
  readonly #transform: StreamTransform | null;
  readonly #isUsageHidden: boolean;
  readonly #spending: StreamSpending;
  readonly #idleMs: number;
  /** Undefined until it is known whether there will be a stream. */
  #opening: UpstreamFailure | null | undefined;
  #waitsForOpening: ((failure: UpstreamFailure | null) => void) | undefined;
  #state: 'opening' | 'flowing' | 'ended' = 'opening';
  #carry: Buffer | null = null;
  #lastByteAt = performance.now();
  #hasUpstreamEnded = false;
  #last: readonly Buffer[] = [];

  constructor(options: StreamRelayOptions) {
    this.#options = options;
    const { call, channel, request } = options;
    this.#meter = new UsageMeter({ countText: (text) => countText(text, call.model) });
    this.#spending = new StreamSpending(call, this.#meter, this);
    this.#isUsageHidden = !wantsUsage(call.body);
    this.#transform = createStreamTransform({ channel, upstreamModel: request.upstreamModel, isUsageHidden: this.#isUsageHidden });
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

  /** The client's connection has closed. */
  clientLeft(): void {
    this.#finish(this.#options.call.services.isEnding() ? 'shutdown' : 'client_closed');
  }

  shutDown(): void {
    this.#finish('shutdown');
  }

  tick(now: number): void {
    // Silence that the client or we asked for is not the upstream's.
    if (this.#options.client.isPaused || this.#spending.isHeld) this.#lastByteAt = now;
    this.#spending.tick();
    if (now - this.#lastByteAt < this.#idleMs) return;
    this.#failBeforeOrAfter(timeoutFailure('idle'), 'stalled');
  }

  data(chunk: Buffer, isOwned: boolean): void {
    if (this.#state === 'ended') return;
    this.#lastByteAt = performance.now();
    const isCopy = isOwned || this.#carry !== null;
    let bytes = this.#carry === null ? chunk : Buffer.concat([this.#carry, chunk]);
    if (this.#state === 'opening' && beginsWithMark(bytes)) bytes = bytes.subarray(3);
    const end = endOfLastEvent(bytes);
    this.#carry = end === bytes.length ? null : Buffer.from(bytes.subarray(end));
    if (this.#carry !== null && this.#carry.length > largestEvent) {
      this.#failBeforeOrAfter(invalidAnswer(), 'invalid_answer');
      return;
    }
    if (end === 0) return;
    const events = bytes.subarray(0, end);
    if (this.#state === 'opening' && !this.#canOpen(events)) return;
    this.#pass(events, isCopy);
  }

  end(): void {
    this.#hasUpstreamEnded = true;
    if (this.#state === 'ended') return;
    // Some upstreams leave the empty line behind their last event out. Half an event is dropped.
    if (this.#carry !== null && soundPart(this.#carry).next !== 'garbage') this.data(Buffer.from('\n\n'), true);
    if (this.#state === 'opening') this.#failBeforeOrAfter(invalidAnswer(), 'truncated');
    else this.#finish(this.#meter.hasFinished() ? 'complete' : 'truncated');
  }

  fail(failure: SendFailure): void {
    this.#hasUpstreamEnded = true;
    if (failure.reason === 'aborted') return;
    this.#failBeforeOrAfter(failure.reason === 'timeout' ? timeoutFailure('idle') : networkFailure(), 'truncated');
  }

  #failBeforeOrAfter(failure: UpstreamFailure, ending: StreamEnding): void {
    if (this.#state === 'flowing') {
      this.#finish(ending);
      return;
    }
    if (this.#state !== 'opening') return;
    this.#state = 'ended';
    this.#options.call.services.clock.remove(this);
    this.#options.stream.abort();
    this.#meter.close();
    this.#open(failure);
  }

  /** Looks at the first events: an error there is the upstream's answer, not a stream. */
  #canOpen(events: Buffer): boolean {
    const data = firstEventData(events);
    if (data === null) return false; // comments only
    const failure =
      errorInAnswer(data, this.#options.channel) ?? (data === '[DONE]' || parseObject(data) !== null ? null : invalidAnswer());
    if (failure !== null) {
      this.#failBeforeOrAfter(failure, 'upstream_error');
      return false;
    }
    this.#state = 'flowing';
    this.#options.attempt.first_byte_ms = elapsed(this.#options.call);
    this.#open(null);
    return true;
  }

  #pass(events: Buffer, isOwned: boolean): void {
    const { end, next } = soundPart(events);
    const content = end === events.length ? events : events.subarray(0, end);
    let forClient: readonly Buffer[] = [];
    if (end > 0) {
      this.#meter.push(content, isOwned);
      forClient = this.#forClient(content);
    }
    if (this.#state !== 'flowing') return;
    if (next === 'done') {
      // What came together with the ending waits for the settlement with it and leaves in one write.
      this.#last = endOfLastEvent(content) === end ? forClient : [...forClient, Buffer.from('\n')];
      this.#finish('complete');
      return;
    }
    for (const piece of forClient) if (piece.length > 0) this.#options.client.write(piece);
    if (next === 'nothing') this.#spending.check();
    else this.#finish(this.#meter.hasFinished() ? 'complete' : 'invalid_answer');
  }

  /** What of the events the client gets; nothing when the stream was ended by one of them. */
  #forClient(events: Buffer): readonly Buffer[] {
    const hasError = mayHoldError(events);
    if (this.#transform === null && !hasError) return this.#isUsageHidden ? withoutUsage(events) : [events];
    const out: string[] = [];
    for (const data of eventData(events.toString('utf8'))) {
      const failure = hasError ? errorInAnswer(data, this.#options.channel) : null;
      if (failure !== null) {
        if (out.length > 0) this.#options.client.write(Buffer.from(out.join('')));
        this.#finish('upstream_error', failure);
        return [];
      }
      if (this.#transform !== null) out.push(...this.#transform.event(data).map(toEvent));
      else if (!(this.#isUsageHidden && isUsageOnly(data))) out.push(toEvent(data));
    }
    return [Buffer.from(out.join(''))];
  }

  /** The client reads slowly, or it is not known whether it can pay for more. */
  pause(): void {
    this.#options.stream.pause();
  }

  resume(): void {
    if (!this.#spending.isHeld && !this.#options.client.isPaused) this.#options.stream.resume();
  }

  /** The account has no more. */
  overdraw(): void {
    this.#finish('overdraft');
  }

  #finish(ending: StreamEnding, failure?: UpstreamFailure): void {
    if (this.#state === 'ended') return;
    const hadOpened = this.#state === 'flowing';
    this.#state = 'ended';
    this.#spending.end();
    const { call, stream } = this.#options;
    call.services.clock.remove(this);
    if (ending !== 'complete') stream.abort();
    if (!hadOpened) this.#open(null);
    call.services.context.waitUntil(this.#complete(ending, failure).catch((fault: unknown) => this.#giveUp(fault)));
  }

  async #complete(ending: StreamEnding, failure?: UpstreamFailure): Promise<void> {
    const { call, channel, client, request, attempt, stream } = this.#options;
    const { services } = call;
    const reported = this.#meter.lastUsage();
    // What cannot be true and came before the answer was a placeholder.
    const usageValue = reported?.hasTextAfter === true && isAbsurdUsage(reported.value) ? undefined : reported?.value;
    const isAbsurd = isAbsurdUsage(usageValue);
    const isWell = ending === 'complete' && !isAbsurd;
    const outcome: StreamEnding = ending === 'complete' && isAbsurd ? 'invalid_usage' : ending;
    const told = readUsage(usageValue, channel.provider);
    const usage = told === null ? await this.#countedUsage() : await this.#checkedUsage(toldUsage(told), reported);
    attempt.end_ms = elapsed(call);
    if (outcome !== 'complete') attempt.error = failure === undefined ? outcome : nameOf(failure);
    this.#noteHealth(outcome, failure);
    const row = chargeRow(call, {
      usage,
      channelId: channel.id,
      upstreamModel: request.isMapped ? request.upstreamModel : undefined,
      reasoningEffort: request.reasoningEffort,
      firstByteMs: attempt.first_byte_ms,
      ending: outcome === 'complete' ? undefined : outcome,
      ...(failure === undefined ? {} : { problem: failure.message }),
    });
    services.use.add(channel.id, row.quota);
    await services.context.ledger.settle(call.reservation, row);
    if (isWell && call.pass !== null) await call.pass.succeeded();
    const closing = isWell ? this.#closing(told !== null, usage) : errorEvent(this.#problem(outcome, failure));
    client.end(...this.#last, closing);
    this.#meter.close();
    if (!this.#hasUpstreamEnded && ending === 'complete') setTimeout(() => stream.abort(), lingerMs).unref();
  }

  /** What was not settled was not answered: the client sees its connection break. */
  #giveUp(fault: unknown): never {
    const { call, client } = this.#options;
    client.cut();
    this.#meter.close();
    call.services.context.ledger.release(call.reservation);
    throw fault;
  }

  #noteHealth(outcome: StreamEnding, failure: UpstreamFailure | undefined): void {
    const { call, channel, attempt } = this.#options;
    const { health, figures } = call.services;
    // At its end, so that a failure is counted with its call. Who left before the first byte tells nothing.
    if (attempt.first_byte_ms !== undefined) figures.called(channel.id, attempt.first_byte_ms - attempt.start_ms);
    if (outcome === 'complete' || outcome === 'overdraft') health.succeeded(channel.id, call.model);
    else if (outcome === 'client_closed' || outcome === 'shutdown') health.released(channel.id, call.model);
    else health.failed(channel.id, call.model, failure ?? (outcome === 'stalled' ? timeoutFailure('idle') : invalidAnswer()));
  }

  /** Counts what the upstream did not tell. */
  async #countedUsage(): Promise<MeteredUsage | null> {
    const { call } = this.#options;
    if (this.#meter.bytes === 0) return null;
    const [promptTokens, completionTokens] = await Promise.all([
      countPromptTokens(call.body, call.endpoint.capability, call.model),
      this.#meter.countTokens(),
    ]);
    return countedUsage(promptTokens, completionTokens);
  }

  /** What was told early does not hold what came after it. */
  async #checkedUsage(told: MeteredUsage, reported: ReportedUsage | undefined): Promise<MeteredUsage> {
    return reported?.hasTextAfter === true ? withCompletion(told, await this.#meter.countTokens()) : told;
  }

  /** The proper ending: what a transformation still owes, usage for those who asked and got none, `[DONE]`. */
  #closing(isTold: boolean, usage: MeteredUsage | null): Buffer {
    const parts: string[] = (this.#transform?.end() ?? []).map(toEvent);
    if (!this.#isUsageHidden && usage !== null && !isTold) {
      parts.push(toEvent(usageChunk(this.#meter.lastEvents(), usage, this.#options.call)));
    }
    return parts.length === 0 ? doneEvent : Buffer.concat([Buffer.from(parts.join('')), doneEvent]);
  }

  #problem(outcome: StreamEnding, failure: UpstreamFailure | undefined) {
    const { language, requestId } = this.#options.call;
    const own = (code: 'upstream_truncated' | 'upstream_timeout' | 'overdraft_stopped' | 'invalid_upstream_response' | 'shutting_down') =>
      ownError(new AppError(code), language, requestId);
    if (failure !== undefined && failure.kind === 'answer') {
      return { message: `${failure.message} (request id: ${requestId})`, type: failure.type, param: failure.param, code: failure.code };
    }
    if (outcome === 'stalled') return own('upstream_timeout');
    if (outcome === 'shutdown') return own('shutting_down');
    if (outcome === 'overdraft') return own('overdraft_stopped');
    if (outcome === 'truncated') return own('upstream_truncated');
    return own('invalid_upstream_response');
  }
}

/** A byte order mark, in UTF-8. */
function beginsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function usageChunk(lastEvents: readonly string[], usage: MeteredUsage, call: RunningCall): string {
  const base = { id: `chatcmpl-${call.requestId}`, object: 'chat.completion.chunk', created: call.createdAt, model: call.model };
  for (const data of lastEvents.toReversed()) {
    try {
      const chunk: unknown = JSON.parse(data);
      if (typeof chunk !== 'object' || chunk === null) continue;
      if ('id' in chunk && typeof chunk.id === 'string') base.id = chunk.id;
      if ('created' in chunk && typeof chunk.created === 'number') base.created = chunk.created;
      if ('model' in chunk && typeof chunk.model === 'string') base.model = chunk.model;
      break;
    } catch {
      continue;
    }
  }
  return JSON.stringify({ ...base, choices: [], usage: usageObject(usage) });
}
