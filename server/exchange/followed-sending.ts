// What is under way of a call that is more than one request. For whoever waits it is one.
import type { Exchange } from './exchange.ts';

export class FollowedSending {
  isAborted = false;
  #current: Exchange['sending'];
  #mayHold: ((bytes: number) => boolean) | undefined;
  #wasSent = false;
  /** Ends a pause. */
  #wake: (() => void) | null = null;

  constructor(first: Exchange['sending']) {
    this.#current = first;
  }

  get isSent(): boolean {
    return this.#wasSent || this.#current.isSent;
  }

  /** Whatever is asked about it afterwards, the call is with its provider. */
  begun(): void {
    this.#wasSent = true;
  }

  follow(second: Exchange['sending']): void {
    this.#current = second;
    if (this.#mayHold !== undefined) second.limitBy(this.#mayHold);
    if (this.isAborted) second.abort();
  }

  limitBy(mayHold: (bytes: number) => boolean): void {
    this.#mayHold = mayHold;
    this.#current.limitBy(mayHold);
  }

  abort(): void {
    this.isAborted = true;
    this.#current.abort();
    this.#wake?.();
  }

  /** Nothing is under way meanwhile. Over at once when the call is ended. */
  pause(ms: number): Promise<void> {
    if (this.isAborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
