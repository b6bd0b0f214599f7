// Where a stream stands: it is opening until its first event is there, flows, and ends once. While it opens, a failure may still
// go to another channel, because nothing has reached the client.
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

export class StreamState {
  #now: 'opening' | 'flowing' | 'ended' = 'opening';
  /** Undefined until it is known whether there will be a stream. */
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

  /** Null once the stream flows; the failure when there will be none. A promise only while neither is known. */
  opened(): UpstreamFailure | null | Promise<UpstreamFailure | null> {
    if (this.#opening !== undefined) return this.#opening;
    return new Promise((resolve) => {
      this.#reportOpening = resolve;
    });
  }

  /** The first event is there. */
  flow(): void {
    if (this.#now !== 'opening') return;
    this.#now = 'flowing';
    this.#report(null);
  }

  /** It ends here. False: it had ended before. A pending opening is resolved by `refuse` or `close`. */
  end(): boolean {
    if (this.#now === 'ended') return false;
    this.#now = 'ended';
    return true;
  }

  /** Of one that has ended: there was no stream, and this is why. */
  refuse(failure: UpstreamFailure): void {
    if (this.#opening === undefined) this.#report(failure);
  }

  /** After its end: no other channel is to be tried. */
  close(): void {
    if (this.#opening === undefined) this.#report(null);
  }

  #report(failure: UpstreamFailure | null): void {
    this.#opening = failure;
    this.#reportOpening?.(failure);
  }
}
