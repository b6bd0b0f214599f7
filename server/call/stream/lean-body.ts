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
/** End of a chunk, and of a body in chunks (RFC 9112, 7.1). */
const chunkEnd = Buffer.from('\r\n');
const bodyEnd = Buffer.from('0\r\n\r\n');
const lastEnd = Buffer.concat([chunkEnd, bodyEnd]);

/**
 * Response body that writes into Node's response directly. Writes within one turn of the event loop are sent as one chunk, in one buffer:
 * Node would write a chunk in four pieces.
 */
export class LeanBody implements PipedBody {
  readonly #source: BodySource;
  #destination: ServerResponse | null = null;
  /** Whether the body is sent in chunks, which its length ends; otherwise the end of the connection ends it. */
  #isChunked = false;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  #isWaiting = false;
  #isFull = false;
  #isEnded = false;
  /** Whether content was written. Node holds the headers back until then. */
  #hasWritten = false;
  #isGone = false;

  readonly #flushScheduled = (): void => this.#flush();

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
    process.nextTick(this.#flushScheduled);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#destination === null) return;
    this.#finish();
  }

  pipe(destination: ServerResponse): void {
    this.#destination = destination;
    // The headers announce chunks already.
    this.#isChunked = destination.chunkedEncoding;
    destination.chunkedEncoding = false;
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
    const rest = this.#take(true);
    if (rest === null) this.#destination?.end();
    else this.#destination?.end(rest);
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#isGone || this.#isEnded || this.#destination === null) return;
    const chunk = this.#take(false);
    if (chunk === null) return;
    this.#hasWritten = true;
    this.#destination.cork();
    const isTaken = this.#destination.write(chunk);
    // At once: without it, Node would in the next tick.
    this.#destination.uncork();
    if (isTaken) {
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

  /** Returns the pending bytes; null if there are none. The last ones end the body. */
  #take(isLast: boolean): Buffer | null {
    const pieces = this.#pending;
    const size = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (size === 0) return isLast && this.#isChunked ? bodyEnd : null;
    if (!this.#isChunked) return Buffer.concat(pieces, size);
    const head = `${size.toString(16)}\r\n`;
    const end = isLast ? lastEnd : chunkEnd;
    const chunk = Buffer.allocUnsafe(head.length + size + end.length);
    let at = chunk.write(head, 'latin1');
    for (const piece of pieces) at += piece.copy(chunk, at);
    end.copy(chunk, at);
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
