// After a client left during a response: cancels it, and waits for its usage from the provider, so that it is charged by the billed amount.
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
  /** What has come and has not been looked at. */
  messages: Buffer[];
  /** What is being done with the message before those. */
  before: Promise<void>;
}

/** Milliseconds that a provider has to report it. */
const mostWaiting = 5_000;

export class LastUsage {
  readonly #of: LastUsageOf;
  readonly #messages: Buffer[];
  /** Resolves when all of it was reported, after the deadline, or at `end`; rejects if it could not be charged. */
  readonly over: Promise<void>;
  #resolve: () => void = () => {};
  #reject: (failure: unknown) => void = () => {};
  #isReading = true;
  /** The provider is gone, and reports no more. */
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

  /** The provider is gone. */
  noMore(): void {
    this.#isLast = true;
    if (!this.#isReading) this.end();
  }

  /** Nothing more is waited for. */
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
