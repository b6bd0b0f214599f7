// One attempt of a call, through one channel.
import type { Attempt } from '#shared/logs.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface ChannelAttempt<Route> {
  channel: PreparedChannel;
  /** Null: the channel is the only permitted one, and cannot carry the call. */
  route: Route | null;
  /** Entry of the log. */
  record: Attempt;
  /** The channel was not called after all: it does not count, and the log has no entry of it. */
  isPassedOver?: true;
}

/** Its route is resolved with all that the request is sent with, so every check judges the route that is taken. */
export type CallAttempt = ChannelAttempt<ChannelRoute>;

/** The provider gets the request in its caller's own format. */
export function isInCallersFormat({ route }: CallAttempt): boolean {
  return route !== null && route.identity !== null;
}

/** One whose request is on its way, or was. */
export interface SentAttempt extends CallAttempt {
  request: SentRequest;
}
