// Sending of a call that takes several requests; appears as one.
import type { Exchange } from './exchange.ts';

export class FollowedSending {
  isAborted = false;
  #current: Exchange['sending'];
  #mayHold: ((bytes: number) => boolean) | undefined;
  #wasSent = false;
  /** Ends the current pause. */
  #wake: (() => void) | null = null;

  constructor(first: Exchange['sending']) {
    this.#current = first;
  }

  get isSent(): boolean {
    return this.#wasSent || this.#current.isSent;
  }

  /** Marks the call as sent, whatever the state of later requests. */
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

  /** Waits between requests; ends at once if the call is aborted. */
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
