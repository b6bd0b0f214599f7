// State of a stream: `opening` until its response begins, then `flowing`, and `ended` once. While it is opening, a failure can be
// retried on another channel, because nothing was sent to the client.
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

export class StreamState {
  #now: 'opening' | 'flowing' | 'ended' = 'opening';
  /** Result of the opening: null for a stream, the failure if there will be none; undefined while unknown. */
  #opening: UpstreamFailure | null | undefined;
  #reportOpening: ((failure: UpstreamFailure | null) => void) | undefined;

  get isOpening(): boolean {
    return this.#now === 'opening';
  }

  get isFlowing(): boolean {
    return this.#now === 'flowing';
  }

  get isEnded(): boolean {
    return this.#now === 'ended';
  }

  /** Returns null once the stream flows, or the failure if there will be none; a promise while neither is known. */
  opened(): UpstreamFailure | null | Promise<UpstreamFailure | null> {
    if (this.#opening !== undefined) return this.#opening;
    return new Promise((resolve) => {
      this.#reportOpening = resolve;
    });
  }

  /** Begins the response. */
  flow(): void {
    if (this.#now !== 'opening') return;
    this.#now = 'flowing';
    this.#report(null);
  }

  /** Ends the stream; returns false if it had ended before. `refuse` or `close` must follow, to resolve a pending opening. */
  end(): boolean {
    if (this.#now === 'ended') return false;
    this.#now = 'ended';
    return true;
  }

  /** After the end: reports the failure, so that another channel may be tried. */
  refuse(failure: UpstreamFailure): void {
    if (this.#opening === undefined) this.#report(failure);
  }

  /** After the end: reports no failure, so that no other channel is tried. */
  close(): void {
    if (this.#opening === undefined) this.#report(null);
  }

  #report(failure: UpstreamFailure | null): void {
    this.#opening = failure;
    this.#reportOpening?.(failure);
  }
}
