// Client side of a streamed call: one body over all attempts, with keep-alives while no data arrives.
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { StreamVoice } from '#server/formats/client-dialect.ts';
import { type BodySource, LeanBody } from '#server/call/stream/lean-body.ts';
import type { StreamClock, TimedStream } from '#server/call/stream/stream-clock.ts';

/** Destination of a stream: the client's connection, or another reader such as a log. */
export interface ClientBody {
  write(chunk: Buffer): void;
  /** Ends the stream normally. */
  end(): void;
  /** Breaks the stream off. */
  cut(): void;
  /** Sends the headers before there is data. */
  flushHeaders(): void;
  /** Stores the ending durably before the call is settled. If undefined, it is not stored. */
  store?(ending: Buffer): Promise<void>;
}

export interface ClientStreamOptions {
  keepAliveMs: number;
  /** Destination; if undefined, the client's connection, by `body`. */
  reader?: ClientBody;
  /** Returns the writer of keep-alives and errors before an upstream's stream; called on demand. */
  openVoice(): StreamVoice;
  onDisconnect(): void;
}

export class ClientStream implements BodySource, TimedStream {
  readonly body: LeanBody;
  clockPlace = -1;
  readonly #to: ClientBody;
  readonly #clock: StreamClock;
  readonly #keepAliveMs: number;
  readonly #openVoice: () => StreamVoice;
  #voice: StreamVoice | null = null;
  #pending: readonly Buffer[] = [];
  #upstream: { pause(): void; resume(): void } | null = null;
  #isPaused = false;
  #isOver = false;
  #lastWriteAt = performance.now();
  #onLeft: () => void;

  constructor(clock: StreamClock, { keepAliveMs, reader, openVoice, onDisconnect }: ClientStreamOptions) {
    this.body = new LeanBody(this);
    this.#to = reader ?? this.body;
    this.#clock = clock;
    this.#keepAliveMs = keepAliveMs;
    this.#openVoice = openVoice;
    this.#onLeft = onDisconnect;
  }

  /** Connects the upstream that feeds the body, with its writer of keep-alives and errors. */
  attach(upstream: { pause(): void; resume(): void }, voice: StreamVoice): void {
    this.#upstream = upstream;
    this.#voice = voice;
    if (this.#isPaused) upstream.pause();
  }

  /** Disconnects an upstream that ended before anything was sent. */
  detach(): void {
    this.#upstream = null;
    this.#voice = null;
  }

  /** Begins the response: keep-alives are sent from now on. */
  begin(): void {
    if (!this.#isOver) this.#clock.add(this);
  }

  write(chunk: Buffer): void {
    this.#lastWriteAt = performance.now();
    this.#to.write(chunk);
  }

  /** Holds bytes that are sent together with the ending. */
  hold(pieces: readonly Buffer[]): void {
    this.#pending = pieces;
  }

  get storesEnding(): boolean {
    return this.#to.store !== undefined;
  }

  /**
   * Stores the bytes that `end` will write.
   * @throws errors of the storage; the call must not be settled then
   */
  async store(ending: Buffer): Promise<void> {
    await this.#to.store?.(Buffer.concat([...this.#pending, ending]));
  }

  /** Writes the held bytes and the ending in one write, and ends the response. */
  end(ending: Buffer): void {
    this.#isOver = true;
    this.#clock.remove(this);
    for (const piece of this.#pending) this.#to.write(piece);
    this.#to.write(ending);
    this.#to.end();
  }

  /** Ends the response with an error in the client's format, after the held bytes. */
  fail(error: ErrorObject): void {
    const speaker = this.#speaker();
    if (speaker.isMute === true) this.cut();
    else this.end(Buffer.from(speaker.fail(error)));
  }

  /** Closes the connection without a normal end. */
  cut(): void {
    this.#isOver = true;
    this.#clock.remove(this);
    this.#to.cut();
  }

  /** Whether the client reads too slowly, so that the upstream is paused. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  tick(now: number): void {
    // Headers wait for this tick, because content usually follows at once and both fit in one write.
    this.#to.flushHeaders();
    if (this.#isPaused || now - this.#lastWriteAt < this.#keepAliveMs) return;
    const speaker = this.#speaker();
    if (speaker.isMute !== true) this.write(Buffer.from(speaker.keepAlive()));
  }

  #speaker(): StreamVoice {
    this.#voice ??= this.#openVoice();
    return this.#voice;
  }

  /** Ends the call as if its client had disconnected, but its last event is still sent. */
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

  disconnected(): void {
    this.#isOver = true;
    this.#clock.remove(this);
    this.#onLeft();
  }
}
