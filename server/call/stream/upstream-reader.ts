// Upstream side of a stream: splits received bytes into complete events, detects a silent upstream, and closes the connection.
import type { Framing, Splitter } from '#server/framing/framing.ts';
import { framings } from '#server/framing/registry.ts';
import type { EndReason } from '#server/call/call-end.ts';
import type { SendFailure } from '#server/exchange/send-failure.ts';
import type { EventSource, StreamSink } from '#server/exchange/upstream-stream.ts';
import { failureOfSend, invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** Receiver of the events, in order. */
export interface EventReceiver {
  /** Receives complete events. `isOwned`: no other reader uses the bytes. */
  events(events: Buffer, isOwned: boolean): void;
  /** Called at the end of the body. `rest`: bytes after the last empty line. */
  ended(rest: Buffer): void;
  broken(reason: EndReason, failure: UpstreamFailure): void;
  /** Called if one of the methods above threw. */
  fault(cause: unknown): void;
}

/** Maximum bytes of an event; a longer one ends the stream. */
const largestEvent = 16 * 1024 * 1024;
/** Maximum lines of an event, which are examined one by one. */
const mostLines = 20_000;
/** Time for an upstream to close its connection after the end of its stream. */
const lingerMs = 1_000;

export class UpstreamReader implements StreamSink {
  readonly #source: EventSource;
  readonly #receiver: EventReceiver;
  readonly #idleMs: number;
  readonly #framing: Framing;
  #events: Splitter;
  #lastByteAt = performance.now();
  #isOver = false;
  #isStopped = false;

  constructor(source: EventSource, receiver: EventReceiver, { framing, idleMs }: { framing: Framing; idleMs: number }) {
    this.#source = source;
    this.#receiver = receiver;
    this.#framing = framing;
    this.#events = framing.createSplitter();
    this.#idleMs = idleMs;
  }

  start(): void {
    this.#source.read(this);
  }

  // Exceptions must not propagate to the socket that calls these methods: they would end the process with all streams.

  data(chunk: Buffer, isOwned: boolean): void {
    try {
      this.#read(chunk, isOwned);
    } catch (cause) {
      this.#receiver.fault(cause);
    }
  }

  end(): void {
    this.#isOver = true;
    if (this.#isStopped) return;
    try {
      this.#receiver.ended(this.#events.rest());
    } catch (cause) {
      this.#receiver.fault(cause);
    }
  }

  fail(failure: SendFailure): void {
    this.#isOver = true;
    if (this.#isStopped || failure.reason === 'aborted') return;
    const isSenseless = failure.reason === 'unreadable' || failure.reason === 'too_large';
    try {
      this.#receiver.broken(isSenseless ? 'invalid_response' : 'truncated', failureOfSend(failure, 'idle'));
    } catch (cause) {
      this.#receiver.fault(cause);
    }
  }

  /** Treats the rest of the body as an event, although no empty line follows it. */
  completeEvent(): void {
    this.#read(this.#framing.eventEnd, true);
  }

  /** Replaces the received events by these server-sent events. */
  replaceBy(events: Buffer): void {
    this.#events = framings.sse.createSplitter();
    this.#read(events, true);
    this.#receiver.ended(this.#events.rest());
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    this.#source.resume();
  }

  /** Restarts the measurement of silence. */
  excuseSilence(now: number): void {
    this.#lastByteAt = now;
  }

  isSilent(now: number): boolean {
    return now - this.#lastByteAt >= this.#idleMs;
  }

  /** Stops reading and aborts the upstream at once. */
  abort(): void {
    this.#isStopped = true;
    this.#source.abort();
  }

  /** Stops reading, because the stream is complete. */
  stop(): void {
    this.#isStopped = true;
  }

  /** After `stop`: aborts the upstream after a moment, in which it can end its body so that the connection can be reused. */
  hangUpSoon(): void {
    if (!this.#isOver) setTimeout(() => this.#source.abort(), lingerMs).unref();
  }

  #read(chunk: Buffer, isOwned: boolean): void {
    if (this.#isStopped) return;
    this.#lastByteAt = performance.now();
    const events = this.#events.push(chunk);
    const { restLength, restLines, isBroken } = this.#events;
    const isTooLong = restLength > largestEvent || restLines > mostLines;
    if (!isTooLong && events !== null) this.#receiver.events(events, isOwned || events.buffer !== chunk.buffer);
    // Events before the invalid one may have ended the stream.
    if (isTooLong || (isBroken && !this.#isStopped)) this.#receiver.broken('invalid_response', invalidResponse());
  }
}
