// The client's side of a streamed call: one body over all attempts, with keep-alives while no data arrives.
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { StreamVoice } from '#server/formats/client-dialect.ts';
import { type BodySource, LeanBody } from '#server/call/stream/lean-body.ts';
import type { StreamClock, TimedStream } from '#server/call/stream/stream-clock.ts';

/** Where a stream to a client goes: its connection, or who reads in its place. */
export interface ClientBody {
  write(chunk: Buffer): void;
  /** The proper end. */
  end(): void;
  /** There is no proper end. */
  cut(): void;
  /** Something is sent although no data has arrived. */
  flushHeaders(): void;
  /** Stores the ending durably before the call is settled. Missing: the ending leaves once the call is settled. */
  store?(ending: Buffer): Promise<void>;
}

export interface ClientStreamOptions {
  keepAliveMs: number;
  /** Missing: the client's connection, by `body`. */
  reader?: ClientBody;
  /** Opens a voice for the time before an upstream's stream; called on demand. */
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

  /** Connects the upstream that feeds the body from now on, with the voice that knows what has been sent. */
  attach(upstream: { pause(): void; resume(): void }, voice: StreamVoice): void {
    this.#upstream = upstream;
    this.#voice = voice;
    if (this.#isPaused) upstream.pause();
  }

  /** The upstream has ended before anything was sent. */
  detach(): void {
    this.#upstream = null;
    this.#voice = null;
  }

  /** The response has begun: from now on silence is filled with comments. */
  begin(): void {
    if (!this.#isOver) this.#clock.add(this);
  }

  write(chunk: Buffer): void {
    this.#lastWriteAt = performance.now();
    this.#to.write(chunk);
  }

  /** Leaves together with the ending. */
  hold(pieces: readonly Buffer[]): void {
    this.#pending = pieces;
  }

  get storesEnding(): boolean {
    return this.#to.store !== undefined;
  }

  /** Stores what `end` will write. @throws what the storage does: the call must not be settled then */
  async store(ending: Buffer): Promise<void> {
    await this.#to.store?.(Buffer.concat([...this.#pending, ending]));
  }

  /** Writes what is left, as one, and ends the response. */
  end(ending: Buffer): void {
    this.#isOver = true;
    this.#clock.remove(this);
    for (const piece of this.#pending) this.#to.write(piece);
    this.#to.write(ending);
    this.#to.end();
  }

  /** Ends the response with an error in the client's format, after what is still to be said. */
  fail(error: ErrorObject): void {
    const speaker = this.#speaker();
    if (speaker.isMute === true) this.cut();
    else this.end(Buffer.from(speaker.fail(error)));
  }

  /** Breaks the connection off: there is no proper end. */
  cut(): void {
    this.#isOver = true;
    this.#clock.remove(this);
    this.#to.cut();
  }

  /** The client does not read: silence of the upstream is not the upstream's. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  tick(now: number): void {
    // Without content they leave late, because mostly it is about to come and both fit into one write.
    this.#to.flushHeaders();
    if (this.#isPaused || now - this.#lastWriteAt < this.#keepAliveMs) return;
    const speaker = this.#speaker();
    if (speaker.isMute !== true) this.write(Buffer.from(speaker.keepAlive()));
  }

  #speaker(): StreamVoice {
    this.#voice ??= this.#openVoice();
    return this.#voice;
  }

  /** Ends the call as if its client had disconnected; its last event is still sent. */
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
