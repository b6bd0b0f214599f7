// One attempt of a call, on one channel.
import type { Attempt } from '#shared/logs.ts';
import type { SentRequest } from '#server/upstream/exchange.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

export interface CallAttempt {
  channel: PreparedChannel;
  /** What the log keeps of it. */
  record: Attempt;
}

/** One whose request is on its way, or was. */
export interface SentAttempt extends CallAttempt {
  request: SentRequest;
}
