// A request whose kept token its provider no longer takes is sent once more with another one. For whoever waits it is one exchange.
import type { Exchange, Received } from './exchange.ts';
import { FollowedSending } from './followed-sending.ts';

export interface Renewal {
  /** Asked at most once, after a refusal of the token. */
  resend: () => Promise<Exchange>;
  /** Whether a response is one. */
  isRefusal: (response: Received) => boolean;
}

export function withRenewal(first: Exchange, { resend, isRefusal }: Renewal): Exchange {
  const sending = new FollowedSending(first.sending);
  const received = first.received.then(async (response) => {
    if (!isRefusal(response) || sending.isAborted) return response;
    const second = await resend();
    sending.follow(second.sending);
    return second.received;
  });
  return { sending, received };
}
