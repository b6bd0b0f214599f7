// The upstream's side of a stream: bytes in, whole events out. It knows when the upstream is silent, and hangs up.
import type { Framing, Splitter } from '#server/framing/framing.ts';
import { framings } from '#server/framing/registry.ts';
import type { EndReason } from '#server/call/call-end.ts';
import type { SendFailure } from '#server/exchange/send-failure.ts';
import type { EventSource, StreamSink } from '#server/exchange/upstream-stream.ts';
import { failureOfSend, invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** Receiver of the data, in order. */
export interface EventReceiver {
  /** Whole events. `isOwned`: no other reader uses these bytes. */
  events(events: Buffer, isOwned: boolean): void;
  /** The body is over. `rest` has no empty line behind it. */
  ended(rest: Buffer): void;
  broken(reason: EndReason, failure: UpstreamFailure): void;
  /** One of the above threw. */
  fault(cause: unknown): void;
}

/** An event longer than this is no event. */
const largestEvent = 16 * 1024 * 1024;
/** Nor is one of more lines, which are looked at one by one. */
const mostLines = 20_000;
/** An upstream that has said that nothing follows and does not hang up is hung up on. */
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

  // An exception must not leave what sockets call: it would end the process, and with it everybody's streams.

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

  /** What stands at the end of the body is an event, although no empty line is behind it. */
  completeEvent(): void {
    this.#read(this.#framing.eventEnd, true);
  }

  /** Continues with these server-sent events instead of the received ones. */
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

  /** Silence until now is not the upstream's. */
  excuseSilence(now: number): void {
    this.#lastByteAt = now;
  }

  isSilent(now: number): boolean {
    return now - this.#lastByteAt >= this.#idleMs;
  }

  /** Nothing more is read, and the upstream is to stop at once. */
  abort(): void {
    this.#isStopped = true;
    this.#source.abort();
  }

  /** Nothing more is read: all has come. */
  stop(): void {
    this.#isStopped = true;
  }

  /** After `stop`: the upstream gets a moment to end by itself, so that its connection can be used again. */
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
    // What stands before it may have ended the stream.
    if (isTooLong || (isBroken && !this.#isStopped)) this.#receiver.broken('invalid_response', invalidResponse());
  }
}
