import type { ServerResponse } from 'node:http';
import type { PipedBody } from '#server/http/lean-response.ts';

/** Source of a body: paused while the client reads slowly, notified when the client has disconnected. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** The client's connection closed before `end`. */
  disconnected(): void;
  /** The connection has closed, before or after `end`, and holds no more bytes of the body. */
  closed?(): void;
}

const earlyBytes = 64 * 1024;

/** Response body that writes into Node's response directly. Writes within one turn of the event loop are sent as one chunk. */
export class LeanBody implements PipedBody {
  readonly #source: BodySource;
  #destination: ServerResponse | null = null;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  #isWaiting = false;
  #isFull = false;
  #isEnded = false;
  /** Whether content was written. Node holds the headers back until then. */
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
    // Every write between the end of a connection and its `close` is an error, and an unhandled one would end the process.
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

  /** Sends the headers, unless content was sent already. */
  flushHeaders(): void {
    if (this.#hasWritten || this.#isGone || this.#isEnded || this.#destination === null) return;
    this.#hasWritten = true;
    this.#destination.flushHeaders();
  }

  /** Closes the client's connection; `disconnected` follows. */
  cut(): void {
    // Without a destination, the client disconnected before there was a response.
    if (this.#destination === null) this.destroy();
    else this.#destination.destroy();
  }

  /** Called when the connection has closed, also after a normal end. */
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
