import type { ServerResponse } from 'node:http';
import type { PipedBody } from '#server/http/lean-response.ts';

/** Source of the body: paused while the client reads slowly, notified when the client has gone. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** The client's connection closed before `end`. */
  disconnected(): void;
  /** It has closed, before `end` or after it: nothing of the body is held any more. */
  closed?(): void;
}

const earlyBytes = 64 * 1024;

/** A response body that writes into Node's response directly. What is written within one turn of the event loop leaves as one chunk. */
export class LeanBody implements PipedBody {
  readonly #source: BodySource;
  #destination: ServerResponse | null = null;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  #isWaiting = false;
  #isFull = false;
  #isEnded = false;
  /** Node has the headers before that, but they wait for the first content. */
  #hasWritten = false;
  #isGone = false;

  constructor(source: BodySource) {
    this.#source = source;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  write(chunk: Buffer): void {
    if (this.#isGone || this.#isEnded) return;
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#destination === null) {
      if (this.#pendingBytes > earlyBytes) this.#wait();
      return;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => this.#flush());
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#destination === null) return;
    this.#finish();
  }

  pipe(destination: ServerResponse): void {
    this.#destination = destination;
    // Between the end of a connection and its `close` every write is an error, and an unhandled one ends the process.
    destination.on('error', () => {});
    if (this.#isGone) {
      destination.destroy(); // cut before it was requested
      return;
    }
    if (this.#isEnded) {
      this.#finish();
      return;
    }
    this.#flush();
  }

  /** Sends the headers if they have not left with some content yet. */
  flushHeaders(): void {
    if (this.#hasWritten || this.#isGone || this.#isEnded || this.#destination === null) return;
    this.#hasWritten = true;
    this.#destination.flushHeaders();
  }

  /** Closes the client's connection; `disconnected` follows. */
  cut(): void {
    // Without a destination the client has gone before there was a response, and the body has no reader.
    if (this.#destination === null) this.destroy();
    else this.#destination.destroy();
  }

  /** The connection has closed, perhaps after a proper end. */
  destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#pending = [];
    if (!this.#isEnded) this.#source.disconnected();
    this.#source.closed?.();
  }

  #finish(): void {
    const rest = this.#take();
    if (rest === null) this.#destination?.end();
    else this.#destination?.end(rest);
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#isGone || this.#isEnded || this.#destination === null) return;
    const chunk = this.#take();
    if (chunk === null) return;
    this.#hasWritten = true;
    if (this.#destination.write(chunk)) {
      if (!this.#isFull) this.#resume();
      return;
    }
    this.#wait();
    // Data in flight still arrives while the source is paused.
    if (this.#isFull) return;
    this.#isFull = true;
    this.#destination.once('drain', () => {
      this.#isFull = false;
      this.#resume();
    });
  }

  #take(): Buffer | null {
    const [first] = this.#pending;
    if (first === undefined) return null;
    const chunk = this.#pending.length === 1 ? first : Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    return chunk;
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#source.pause();
  }

  #resume(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#source.resume();
  }
}
