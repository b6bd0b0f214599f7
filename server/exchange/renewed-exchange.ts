// Resends a request once with a new token if the provider rejects the cached one. Appears as one exchange.
import type { Exchange, Received } from './exchange.ts';
import { FollowedSending } from './followed-sending.ts';

export interface Renewal {
  /** Called at most once, after the token was rejected. */
  resend: () => Promise<Exchange>;
  /** Reports whether the response rejects the token. */
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
