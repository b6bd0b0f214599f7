// A stream of an upstream as it comes from the socket, for one reader.
import type { Framing } from '#server/framing/framing.ts';
import type { SendFailure } from './send-failure.ts';

/** Receives what a stream brings, in order; `end` or `fail` is the last. */
export interface StreamSink {
  /** `isOwned`: nobody else holds the chunk's memory, so it may be kept as it is; otherwise keeping it keeps the socket's. */
  data(chunk: Buffer, isOwned: boolean): void;
  end(): void;
  fail(failure: SendFailure): void;
}

/** As much of a stream as its reader uses. */
export interface EventSource {
  /** How its bytes are cut, where they do not come from the upstream as they are. */
  readonly framing?: Framing;
  read(sink: StreamSink): void;
  pause(): void;
  resume(): void;
  abort(): void;
}

const streamBufferBytes = 64 * 1024;

/** What holds the bytes back: the socket, or the decoder between. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * Chunks of an event stream. What one read of the socket brings is delivered as one chunk: upstreams that send every token
 * as an HTTP chunk of its own would otherwise cost everything behind this once per token. Holds back what comes before
 * somebody reads, and pauses the socket beyond 64 KiB of it.
 */
export class UpstreamStream {
  readonly #controller: Flow;
  readonly #abort: () => void;
  #sink: StreamSink | null = null;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isScheduled = false;
  #isOver = false;
  #outcome: 'open' | 'ended' | SendFailure = 'open';

  constructor(controller: Flow, abort: () => void) {
    this.#controller = controller;
    this.#abort = abort;
  }

  /** Starts reading; what came early is delivered at once. */
  read(sink: StreamSink): void {
    this.#sink = sink;
    const wasPaused = this.#waitingBytes > streamBufferBytes;
    this.#deliver();
    if (wasPaused && this.#outcome === 'open') this.#controller.resume();
  }

  pause(): void {
    this.#controller.pause();
  }
  resume(): void {
    this.#controller.resume();
  }
  abort(): void {
    this.#abort();
  }

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#sink === null) {
      if (this.#waitingBytes > streamBufferBytes) this.#controller.pause();
    } else this.#schedule();
  }
  pushEnd(): void {
    this.#outcome = 'ended';
    this.#schedule();
  }
  pushFailure(failure: SendFailure): void {
    this.#outcome = failure;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#sink === null) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    if (this.#sink === null) return;
    try {
      this.#handOver(this.#sink);
    } catch {
      // A reader that throws, which it should not, ends its own stream only.
      this.#isOver = true;
      this.#abort();
    }
  }

  #handOver(sink: StreamSink): void {
    const [first] = this.#waiting;
    if (first !== undefined) {
      const chunk = this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting, this.#waitingBytes);
      this.#waiting = [];
      this.#waitingBytes = 0;
      sink.data(chunk, chunk !== first);
    }
    if (this.#outcome === 'open' || this.#isOver) return;
    this.#isOver = true;
    if (this.#outcome === 'ended') sink.end();
    else sink.fail(this.#outcome);
  }
}
