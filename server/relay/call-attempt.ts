// One attempt of a call, on one channel.
import type { Attempt } from '#shared/logs.ts';
import type { SentRequest } from '#server/upstream/exchange.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

export interface CallAttempt {
  channel: PreparedChannel;
  /** What the log keeps of it. */
  record: Attempt;
  /** Its channel was not asked after all: it does not count, and the log keeps nothing of it. */
  isPassedOver?: true;
}

/** One whose request is on its way, or was. */
export interface SentAttempt extends CallAttempt {
  request: SentRequest;
}
