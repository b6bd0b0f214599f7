// One WebSocket of a client, whatever is spoken over it: whole messages of text in both directions. What a client may make the process
// hold is bounded on both sides: a message while it comes counts as a body does, and who does not read is told to those who write.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { AppError } from '#shared/errors.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { Passage, ProgressWatch } from '#server/network/progress-watch.ts';

/** Close codes. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  notText: 1003,
  refused: 1008,
  tooLarge: 1009,
  serverError: 1011,
  restart: 1012,
  tryAgain: 1013,
} as const;

/** Who is told what happens on a socket. */
export interface SocketReceiver {
  message(bytes: Buffer): void;
  /** What comes cannot be taken. The socket closes afterwards. */
  refuse(error: AppError): void;
  /** The client does not read: nothing more is to be written until `resume`. */
  pause(): void;
  resume(): void;
  /** From time to time. */
  tick(): void;
  /** The connection is gone, whoever has closed it. */
  closed(): void;
}

export interface SocketLimits {
  /** Bytes of a message. */
  mostBytes: number;
  /** What has come of a message is held here. */
  hold: BodyHold;
  /** Ends messages that do not arrive. */
  watch: ProgressWatch;
}

/** A frame of a client begins with so many bytes, or some more. */
const frameBytes = 6;
/** Pings and pongs between two ticks: a flood of them costs a turn of everybody's event loop each, and says nothing. */
const mostSigns = 500;
/** Headers of frames count as what they are around. */
const frameSlack = 64 * 1024;
/** So much waits to be read by a client at the most before nothing more of it is read either. */
const mostUnread = 1024 * 1024;

export class MessageSocket implements Passage {
  watchPlace = -1;
  watchedBytes = 0;
  watchedAt = 0;
  /** Monotonic time of the last sign of life. */
  lastMessageAt = performance.now();
  isPinged = false;
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #limits: SocketLimits;
  readonly #receiver: SocketReceiver;
  #received = 0;
  /** Bytes of the message that is coming. */
  #coming = 0;
  /** Pings and pongs since the last tick. */
  #signs = 0;
  #isCorked = false;
  #isFull = false;
  #isDeaf = false;
  /** What comes cannot be passed on yet. */
  #isHeld = false;

  constructor(socket: WebSocket, raw: Socket, { limits, openReceiver }: SocketOptions) {
    this.#socket = socket;
    this.#raw = raw;
    this.#limits = limits;
    this.#receiver = openReceiver(this);
    // First, so that a message is counted before it is told.
    raw.prependListener('data', (chunk: Buffer) => this.#arrived(chunk.length));
    raw.on('drain', () => this.#drained());
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
    socket.on('ping', (data) => {
      this.#passed(data.length);
      // Who asks faster than it reads is not answered: all that would wait for it here.
      if (this.isOpen && !raw.writableNeedDrain) socket.pong(data);
    });
    socket.on('pong', (data) => this.#passed(data.length));
    // Whatever is wrong with its frames: the library closes it, and that is told.
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
    limits.watch.add(this);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** The client does not read. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** What is sent within one turn of the event loop leaves as one write. */
  send(text: string | Buffer): void {
    if (!this.isOpen) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#raw.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#raw.uncork();
      });
    }
    this.#socket.send(text, { binary: false });
    if (!this.#raw.writableNeedDrain) return;
    if (!this.#isFull) {
      this.#isFull = true;
      this.#receiver.pause();
    }
    // Who asks and does not read is not heard either.
    if (this.#raw.writableLength > mostUnread && !this.#socket.isPaused) this.#socket.pause();
  }

  /** After what has been sent. Nothing more is read. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    if (code === closeCodes.tooLarge || code === closeCodes.tryAgain) {
      this.#isDeaf = true;
      this.#socket.pause();
    }
  }

  /** Nothing more is read until `readOn`; messages that have been read are still told. */
  holdReading(): void {
    this.#isHeld = true;
    if (!this.#socket.isPaused) this.#socket.pause();
  }

  readOn(): void {
    this.#isHeld = false;
    if (this.#socket.isPaused && !this.#isDeaf && this.#raw.writableLength <= mostUnread) this.#socket.resume();
  }

  ping(): void {
    this.isPinged = true;
    if (this.isOpen) this.#socket.ping();
  }

  /** At once, without a word. */
  terminate(): void {
    this.#socket.terminate();
  }

  tick(): void {
    this.#signs = 0;
    this.#receiver.tick();
  }

  /** Who is not read cannot be heard. */
  get isInputAudio(): boolean {
    return !this.#socket.isPaused;
  }

  passed(): number | null {
    return this.#coming > 0 ? this.#received : null;
  }

  stuck(): void {
    this.#refuse(new AppError('body_timeout'), closeCodes.refused);
  }

  #arrived(bytes: number): void {
    this.lastMessageAt = performance.now();
    this.isPinged = false;
    if (this.#isDeaf) return;
    this.#received += bytes;
    this.#coming += bytes;
    const { mostBytes, hold } = this.#limits;
    if (this.#coming > mostBytes + frameSlack) {
      this.#refuse(new AppError('body_too_large', { limit: mostBytes }), closeCodes.tooLarge);
      return;
    }
    try {
      hold.grow(bytes);
    } catch (failure) {
      if (!(failure instanceof AppError)) throw failure;
      this.#refuse(failure, closeCodes.tryAgain);
    }
  }

  /** A frame that is no message's. */
  #passed(bytes: number): void {
    this.#coming = Math.max(0, this.#coming - bytes - frameBytes);
    this.#limits.hold.shrinkTo(this.#coming);
    this.#signs += 1;
    if (this.#signs > mostSigns) this.terminate();
  }

  #message(data: unknown, isBinary: boolean): void {
    this.#coming = 0;
    this.#limits.hold.shrinkTo(0);
    if (this.#isDeaf) return;
    if (isBinary || !Buffer.isBuffer(data)) {
      this.#refuse(new AppError('invalid_request', { detail: { zh: '消息必须是文本', en: 'messages must be texts' } }), closeCodes.notText);
    } else if (data.length > this.#limits.mostBytes) {
      this.#refuse(new AppError('body_too_large', { limit: this.#limits.mostBytes }), closeCodes.tooLarge);
    } else this.#receiver.message(data);
  }

  #refuse(error: AppError, code: number): void {
    if (this.#isDeaf) return;
    this.#receiver.refuse(error);
    this.close(code, error.code);
  }

  #drained(): void {
    if (this.#socket.isPaused && !this.#isDeaf && !this.#isHeld) this.#socket.resume();
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#receiver.resume();
  }

  #closed(): void {
    this.#limits.watch.remove(this);
    this.#limits.hold.shrinkTo(0);
    this.#receiver.closed();
  }
}

export interface SocketOptions {
  limits: SocketLimits;
  openReceiver(socket: MessageSocket): SocketReceiver;
}
