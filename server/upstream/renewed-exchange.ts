// A request whose kept token its provider no longer takes is sent once more with another one. For whoever waits it is one exchange.
import type { Exchange } from './exchange.ts';

/** @param resend asked at most once, after a refusal with status 401 */
export function withRenewal(first: Exchange, resend: () => Promise<Exchange>): Exchange {
  const sending = new RenewedSending(first.sending);
  const received = first.received.then(async (response) => {
    if (response.kind !== 'failed' || response.status !== 401 || sending.isAborted) return response;
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
