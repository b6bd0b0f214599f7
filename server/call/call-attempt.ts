// Types of an attempt: the call through one channel.
import type { Attempt } from '#shared/logs.ts';
import type { KeyUse } from '#server/call/routing/key-picker.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface ChannelAttempt<Route> {
  channel: PreparedChannel;
  /** Route; null if the only permitted channel cannot take the call. */
  route: Route | null;
  /** Entry in the log row. */
  record: Attempt;
  /** Use of the key; undefined if the channel has one only. */
  keyUse: KeyUse | undefined;
  /** Failure of the attempt that concerned its key: `certain` if it says nothing about the call. */
  keyRefusal?: 'certain' | 'possible';
  /** Whether the channel was not called after all: the attempt does not count and is not logged. */
  isPassedOver?: true;
}

/** Attempt of a relayed call. Its route is the one that the request takes, so that every check sees the same. */
export type CallAttempt = ChannelAttempt<ChannelRoute>;

/** Reports whether the provider receives the request in the caller's format. */
export function isInCallersFormat({ route }: CallAttempt): boolean {
  return route !== null && route.identity !== null;
}

/** Attempt whose request was sent. */
export interface SentAttempt extends CallAttempt {
  request: SentRequest;
}
