// Stream of upstream chunks from the socket, for one reader.
import type { Framing } from '#server/framing/framing.ts';
import type { SendFailure } from './send-failure.ts';

/** Receives a stream in order; `end` or `fail` is the last call. */
export interface StreamSink {
  /**
   * `isOwned`: the chunk's memory is not shared, so the sink may retain it; otherwise retaining it also retains the
   * socket's buffer.
   */
  data(chunk: Buffer, isOwned: boolean): void;
  end(): void;
  fail(failure: SendFailure): void;
}

/** Part of a stream that its reader uses. */
export interface EventSource {
  /** Framing of the bytes, if it differs from the upstream's. */
  readonly framing?: Framing;
  read(sink: StreamSink): void;
  pause(): void;
  resume(): void;
  abort(): void;
}

const streamBufferBytes = 64 * 1024;

/** Source that can be paused: the socket, or a decoder in front of it. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * Merges the chunks of one socket read into one: upstreams that send every token as an HTTP chunk would otherwise cost
 * the whole pipeline once per token. Buffers what arrives before a reader attaches, and pauses the socket beyond 64
 * KiB.
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

  readonly #deliverScheduled = (): void => {
    this.#isScheduled = false;
    this.#deliver();
  };

  constructor(controller: Flow, abort: () => void) {
    this.#controller = controller;
    this.#abort = abort;
  }

  /** Starts reading; buffered chunks are delivered at once. */
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
    process.nextTick(this.#deliverScheduled);
  }

  #deliver(): void {
    if (this.#sink === null) return;
    try {
      this.#handOver(this.#sink);
    } catch {
      // A reader that throws by mistake ends only its own stream.
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
