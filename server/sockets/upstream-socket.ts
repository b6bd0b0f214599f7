// A WebSocket to a provider, over a connection that its sender has opened: whole messages of text in both directions, read only as fast as
// they are taken. https://www.rfc-editor.org/rfc/rfc6455
import type { Duplex } from 'node:stream';
import { Receiver, Sender } from 'ws';

/** Who is told what comes. */
export interface UpstreamReceiver {
  message(bytes: Buffer): void;
  /** What was sent has gone, after `isFull`. */
  drained(): void;
  /** The connection is gone. `code`: as it was closed; 1006 without a word. */
  closed(code: number, reason: string): void;
}

/** Bytes of a message. */
const mostBytes = 32 * 1024 * 1024;
const mostFragments = 10_000;
/** Milliseconds that the other side has to confirm a close. */
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

  /** Nothing more is to be sent until `drained` is told. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** What is sent within one turn of the event loop leaves as one write. */
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

  /** Nothing more is read; what has been read may still be told. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#receiver.writableNeedDrain) this.#socket.resume();
  }

  /** From time to time: asks a silent provider for a sign of life. False: it gives none. */
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
    // What still comes is read, so that the close is heard.
    this.resume();
    this.#timer = setTimeout(() => this.#socket.destroy(), closeTimeout);
    this.#timer.unref();
  }

  /** At once. */
  terminate(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    const receiver = this.#receiver;
    receiver.on('message', (bytes: Buffer) => this.#reported.message(bytes));
    receiver.on('ping', (bytes: Buffer) => {
      // One that asks faster than it reads is not answered: its own silence is what it is judged by.
      if (this.isOpen && !this.isFull) this.#sender.pong(bytes, true);
    });
    receiver.on('conclude', (code: number, reason: Buffer) => this.#concluded(code, reason.toString('utf8')));
    // What came is no message.
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
