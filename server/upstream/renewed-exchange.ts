// A request whose kept token its provider no longer takes is sent once more with another one. For whoever waits it is one exchange.
import type { Exchange, Received } from './exchange.ts';

export interface Renewal {
  /** Asked at most once, after a refusal of the token. */
  resend: () => Promise<Exchange>;
  /** Whether a response is one. */
  isRefusal: (response: Received) => boolean;
}

export function withRenewal(first: Exchange, { resend, isRefusal }: Renewal): Exchange {
  const sending = new RenewedSending(first.sending);
  const received = first.received.then(async (response) => {
    if (!isRefusal(response) || sending.isAborted) return response;
    const second = await resend();
    sending.follow(second.sending);
    return second.received;
  });
  return { sending, received };
}

class RenewedSending {
  isAborted = false;
  #current: Exchange['sending'];
  #mayHold: ((bytes: number) => boolean) | undefined;

  constructor(first: Exchange['sending']) {
    this.#current = first;
  }

  get isSent(): boolean {
    return this.#current.isSent;
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
  }
}
