// WebSocket to a provider over an open connection: whole text messages in both directions, with back-pressure.
// https://www.rfc-editor.org/rfc/rfc6455
import type { Duplex } from 'node:stream';
import { Receiver, Sender } from 'ws';

/** Receives the events of a socket. */
export interface UpstreamReceiver {
  message(bytes: Buffer): void;
  /** Writing may resume after `isFull`. */
  drained(): void;
  /** The connection has closed. `code`: close code; 1006 without a close frame. */
  closed(code: number, reason: string): void;
}

/** Maximum bytes of a message. */
const mostBytes = 32 * 1024 * 1024;
const mostFragments = 10_000;
/** Milliseconds for the other side to confirm a close. */
const closeTimeout = 5_000;
const silentMs = 30_000;
const nothing = Buffer.alloc(0);
const lost = 1006;
const noStatus = 1005;

export class UpstreamSocket {
  readonly #socket: Duplex;
  readonly #receiver = new Receiver({ isServer: false, maxPayload: mostBytes, maxFragments: mostFragments });
  readonly #sender: Sender;
  readonly #reported: UpstreamReceiver;
  #code = lost;
  #reason = '';
  #isClosing = false;
  #isOver = false;
  #isPaused = false;
  #isCorked = false;
  #lastMessageAt = performance.now();
  #isPinged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Duplex, reported: UpstreamReceiver) {
    this.#socket = socket;
    this.#reported = reported;
    this.#sender = new Sender(socket);
    this.#listen();
  }

  get isOpen(): boolean {
    return !this.#isClosing && !this.#isOver;
  }

  /** Writing must stop until `drained`. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Messages sent within one turn of the event loop are written together. */
  send(bytes: Buffer): void {
    if (!this.isOpen) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#sender.send(bytes, { binary: false, compress: false, fin: true, mask: true });
  }

  /** Pauses reading; messages already read may still be delivered. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#receiver.writableNeedDrain) this.#socket.resume();
  }

  /** Called periodically: pings a silent provider. Returns false if it does not respond. */
  tick(): boolean {
    if (this.#isOver || this.#isPaused) return true;
    const silence = performance.now() - this.#lastMessageAt;
    if (silence > 2 * silentMs) return false;
    if (silence > silentMs && !this.#isPinged) {
      this.#isPinged = true;
      this.#sender.ping(nothing, true);
    }
    return true;
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.#isClosing = true;
    this.#sender.close(code, reason, true);
    // Reads on, to receive the close frame.
    this.resume();
    this.#timer = setTimeout(() => this.#socket.destroy(), closeTimeout);
    this.#timer.unref();
  }

  /** Closes at once. */
  terminate(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    const receiver = this.#receiver;
    receiver.on('message', (bytes: Buffer) => this.#reported.message(bytes));
    receiver.on('ping', (bytes: Buffer) => {
      // Pings beyond capacity are not answered; the provider is judged by its own silence.
      if (this.isOpen && !this.isFull) this.#sender.pong(bytes, true);
    });
    receiver.on('conclude', (code: number, reason: Buffer) => this.#concluded(code, reason.toString('utf8')));
    // Invalid frame.
    receiver.on('error', () => this.#socket.destroy());
    receiver.on('drain', () => {
      if (!this.#isPaused) this.#socket.resume();
    });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#lastMessageAt = performance.now();
      this.#isPinged = false;
      if (!receiver.write(chunk)) this.#socket.pause();
    });
    this.#socket.on('drain', () => this.#reported.drained());
    this.#socket.on('end', () => this.#socket.end());
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#closed());
  }

  #concluded(code: number, reason: string): void {
    this.#code = code;
    this.#reason = reason;
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#sender.close(code === noStatus ? undefined : code, '', true);
    }
    this.#socket.end();
    this.#timer ??= setTimeout(() => this.#socket.destroy(), closeTimeout);
    this.#timer.unref();
  }

  #closed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#reported.closed(this.#code, this.#reason);
  }
}
