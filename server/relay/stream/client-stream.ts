// The client's side of a streamed call: one body however many upstreams are tried, kept alive while nothing comes.
import type { ClientDialect, ErrorObject } from '#server/dialects/client-dialect.ts';
import { LeanBody } from '#server/relay/stream/lean-body.ts';
import type { BodySource } from '#server/relay/stream/lean-body.ts';
import type { StreamClock, TimedStream } from '#server/relay/stream/stream-clock.ts';

export interface ClientStreamOptions {
  keepAliveMs: number;
  dialect: ClientDialect;
  requestId: string;
  onLeft(): void;
}

export class ClientStream implements BodySource, TimedStream {
  readonly body: LeanBody;
  clockPlace = -1;
  readonly #clock: StreamClock;
  readonly #keepAliveMs: number;
  readonly #dialect: ClientDialect;
  readonly #requestId: string;
  #hasContent = false;
  #held: readonly Buffer[] = [];
  #upstream: { pause(): void; resume(): void } | null = null;
  #isPaused = false;
  #isOver = false;
  #lastWriteAt = performance.now();
  #onLeft: () => void;

  constructor(clock: StreamClock, { keepAliveMs, dialect, requestId, onLeft }: ClientStreamOptions) {
    this.body = new LeanBody(this);
    this.#clock = clock;
    this.#keepAliveMs = keepAliveMs;
    this.#dialect = dialect;
    this.#requestId = requestId;
    this.#onLeft = onLeft;
  }

  /** Whoever feeds the body from now on. */
  attach(upstream: { pause(): void; resume(): void }): void {
    this.#upstream = upstream;
    if (this.#isPaused) upstream.pause();
  }

  /** The response has begun: from now on silence is filled with comments. */
  begin(): void {
    if (!this.#isOver) this.#clock.add(this);
  }

  write(chunk: Buffer): void {
    this.#hasContent = true;
    this.#writeBytes(chunk);
  }

  #writeBytes(chunk: Buffer): void {
    this.#lastWriteAt = performance.now();
    this.body.write(chunk);
  }

  /** Leaves together with the ending. */
  hold(pieces: readonly Buffer[]): void {
    this.#held = pieces;
  }

  /** Writes what is left, as one, and ends the response. */
  end(ending: Buffer): void {
    this.#isOver = true;
    this.#clock.remove(this);
    for (const piece of this.#held) this.body.write(piece);
    this.body.write(ending);
    this.body.end();
  }

  /** Ends the response with an error in the client's format, after what is still to be said. */
  fail(error: ErrorObject): void {
    this.end(Buffer.from(this.#dialect.errorEvent(error, this.#requestId)));
  }

  /** Breaks the connection off: there is no proper end. */
  cut(): void {
    this.#isOver = true;
    this.#clock.remove(this);
    this.body.cut();
  }

  /** The client does not read: silence of the upstream is not the upstream's. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  tick(now: number): void {
    // Without content they leave late, because mostly it is about to come and both fit into one write.
    this.body.flushHeaders();
    if (this.#isPaused || now - this.#lastWriteAt < this.#keepAliveMs) return;
    this.#writeBytes(Buffer.from(this.#dialect.keepAlive(this.#hasContent)));
  }

  /** Ends the call as if nobody waited for it; its last word still goes out. */
  shutDown(): void {
    this.#onLeft();
  }

  pause(): void {
    this.#isPaused = true;
    this.#upstream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#upstream?.resume();
  }

  left(): void {
    this.#isOver = true;
    this.#clock.remove(this);
    this.#onLeft();
  }
}
