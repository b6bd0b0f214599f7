// WebSocket of a client: whole text messages in both directions, for any protocol. Bounds what a client makes the
// process hold: incoming messages count as bodies, and writers are paused while the client does not read.
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

/** Receives the events of a socket. */
export interface SocketReceiver {
  message(bytes: Buffer): void;
  /** Input that is rejected; the socket closes afterwards. */
  refuse(error: AppError): void;
  /** The client does not read: writing must stop until `resume`. */
  pause(): void;
  resume(): void;
  /** Called periodically. */
  tick(): void;
  /** The connection has closed, from either side. */
  closed(): void;
}

export interface SocketLimits {
  /** Maximum bytes of a message. */
  mostBytes: number;
  /** Memory of incoming messages. */
  hold: BodyHold;
  /** Ends messages that stop arriving. */
  watch: ProgressWatch;
}

/** Minimum size of a client's frame header. */
const frameBytes = 6;
/** Maximum pings and pongs between two ticks: each costs a turn of the event loop. */
const mostSigns = 500;
/** Allowance for frame headers, which count as content. */
const frameSlack = 64 * 1024;
/** Unread bytes of a client at which its input is no longer read. */
const mostUnread = 1024 * 1024;

export class MessageSocket implements Passage {
  watchPlace = -1;
  watchedBytes = 0;
  watchedAt = 0;
  /** Monotonic time of the last message or pong. */
  lastMessageAt = performance.now();
  isPinged = false;
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #limits: SocketLimits;
  readonly #receiver: SocketReceiver;
  #received = 0;
  /** Bytes of the incoming message. */
  #coming = 0;
  /** Pings and pongs since the last tick. */
  #signs = 0;
  #isCorked = false;
  #isFull = false;
  #isDeaf = false;
  /** Reading is paused because messages cannot be passed on. */
  #isHeld = false;

  constructor(socket: WebSocket, raw: Socket, { limits, openReceiver }: SocketOptions) {
    this.#socket = socket;
    this.#raw = raw;
    this.#limits = limits;
    this.#receiver = openReceiver(this);
    // First, so that a message is counted before it is delivered.
    raw.prependListener('data', (chunk: Buffer) => this.#arrived(chunk.length));
    raw.on('drain', () => this.#drained());
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
    socket.on('ping', (data) => {
      this.#passed(data.length);
      // Pings of a client that does not read are not answered, because pongs would pile up.
      if (this.isOpen && !raw.writableNeedDrain) socket.pong(data);
    });
    socket.on('pong', (data) => this.#passed(data.length));
    // The library closes the socket on invalid frames, which is reported by `closed`.
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

  /** Messages sent within one turn of the event loop are written together. */
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
    // A client that sends requests without reading is not read either.
    if (this.#raw.writableLength > mostUnread && !this.#socket.isPaused) this.#socket.pause();
  }

  /** Closes after the messages sent so far; stops reading. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    if (code === closeCodes.tooLarge || code === closeCodes.tryAgain) {
      this.#isDeaf = true;
      this.#socket.pause();
    }
  }

  /** Pauses reading until `readOn`; messages already read are still delivered. */
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

  /** Closes at once, without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  tick(): void {
    this.#signs = 0;
    this.#receiver.tick();
  }

  /** False while reading is paused. */
  get isReading(): boolean {
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

  /** Handles a control frame. */
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
