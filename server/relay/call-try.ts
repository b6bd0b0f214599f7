// One try of a call on one channel.
import type { Attempt } from '#shared/logs.ts';
import type { UpstreamRequest } from '#server/upstream/build-request.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** A request without its body, which nobody needs once it is sent. */
export type SentRequest = Omit<UpstreamRequest, 'body'>;

export interface CallTry {
  channel: PreparedChannel;
  attempt: Attempt;
}

/** A try whose request is on its way, or was. */
export interface SentTry extends CallTry {
  request: SentRequest;
}
