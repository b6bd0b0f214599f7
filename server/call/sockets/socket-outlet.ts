// Sends the stream of a turn as messages of its socket.
import type { BodySource } from '#server/call/stream/lean-body.ts';
import type { TurnOutlet } from '#server/call/turn.ts';

const newline = 10;

export interface TurnMessages {
  send(message: Buffer): void;
  /** Reports that the stream broke off. */
  sendCut(): void;
  /** Reports whether the client reads too slowly. */
  isFull(): boolean;
}

export class SocketOutlet implements TurnOutlet {
  /** Resolves when the last message was sent. */
  readonly ended: Promise<void>;
  readonly #messages: TurnMessages;
  #source: BodySource | null = null;
  #isOver = false;
  #end: () => void = () => {};

  constructor(messages: TurnMessages) {
    this.#messages = messages;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  follow(source: BodySource): void {
    this.#source = source;
    if (this.#messages.isFull()) source.pause();
  }

  pause(): void {
    this.#source?.pause();
  }

  resume(): void {
    this.#source?.resume();
  }

  /** Called when the client has disconnected. */
  disconnected(): void {
    this.#source?.disconnected();
  }

  write(chunk: Buffer): void {
    if (this.#isOver) return;
    for (let start = 0; start < chunk.length;) {
      const found = chunk.indexOf(newline, start);
      const end = found < 0 ? chunk.length : found;
      if (end > start) this.#messages.send(chunk.subarray(start, end));
      start = end + 1;
    }
  }

  end(): void {
    this.#isOver = true;
    this.#end();
  }

  cut(): void {
    if (!this.#isOver) this.#messages.sendCut();
    this.end();
  }

  flushHeaders(): void {}
}
