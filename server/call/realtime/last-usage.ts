// After a client disconnects during a response: cancels the response and waits for its usage, so that the charge equals the
// provider's bill.
// https://platform.openai.com/docs/api-reference/realtime-client-events/response/cancel
import type { EndReason } from '#server/call/call-end.ts';
import type { UpstreamSocket } from '#server/sockets/upstream-socket.ts';
import type { ServerEvents } from './server-events.ts';
import type { SessionTurns } from './session-turns.ts';

export interface LastUsageOf {
  upstream: Pick<UpstreamSocket, 'pause' | 'resume'>;
  fromUpstream: Pick<ServerEvents, 'cancel' | 'takeLast'>;
  turns: Pick<SessionTurns, 'leave' | 'runningIds'>;
  reason: EndReason;
  /** Messages received and not processed. */
  messages: Buffer[];
  /** Processing of the message before them. */
  before: Promise<void>;
}

/** Milliseconds to wait for the usage. */
const mostWaiting = 5_000;

export class LastUsage {
  readonly #of: LastUsageOf;
  readonly #messages: Buffer[];
  /** Resolves when all usage is reported, after the deadline, or at `end`; rejects if a charge failed. */
  readonly over: Promise<void>;
  #resolve: () => void = () => {};
  #reject: (failure: unknown) => void = () => {};
  #isReading = true;
  /** The provider has disconnected and reports nothing more. */
  #isLast = false;
  #isOver = false;
  readonly #timer: NodeJS.Timeout;

  constructor(of: LastUsageOf) {
    this.#of = of;
    this.#messages = of.messages;
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.end(), mostWaiting);
    of.turns.leave();
    of.fromUpstream.cancel(of.turns.runningIds);
    void of.before.then(() => this.#read());
  }

  take(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#messages.push(bytes);
    if (!this.#isReading) void this.#read();
  }

  /** Called when the provider disconnects. */
  noMore(): void {
    this.#isLast = true;
    if (!this.#isReading) this.end();
  }

  /** Ends the wait. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve();
  }

  async #read(): Promise<void> {
    const { upstream, fromUpstream, turns, reason } = this.#of;
    this.#isReading = true;
    upstream.pause();
    try {
      for (let next = this.#messages.shift(); next !== undefined && !this.#isOver; next = this.#messages.shift())
        await fromUpstream.takeLast(next, reason);
    } catch (failure) {
      this.#reject(failure);
      this.end();
    }
    this.#isReading = false;
    upstream.resume();
    if (this.#isLast || turns.runningIds.length === 0) this.end();
  }
}
