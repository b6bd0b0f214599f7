// One try of a call on one channel.
import type { Attempt } from '#shared/logs.ts';
import type { SentRequest } from '#server/upstream/exchange.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

export interface CallTry {
  channel: PreparedChannel;
  attempt: Attempt;
}

/** A try whose request is on its way, or was. */
export interface SentTry extends CallTry {
  request: SentRequest;
}
