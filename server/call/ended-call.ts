// How attempts and calls ended, as stages see it.
import type { EndReason } from '#server/call/call-end.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** How an attempt ended: with a response, for the reason of the call's end; with a failure; or stopped before its response began. */
export type AttemptEnd =
  | { kind: 'answered'; reason: EndReason; failure?: UpstreamFailure | undefined }
  | { kind: 'failed'; failure: UpstreamFailure }
  | { kind: 'stopped' };

/** How a call ended, for its log row. */
export interface EndedCall {
  reason: EndReason;
  /** Failure of the upstream. */
  failure?: UpstreamFailure;
  /** Usage; null if nothing was used. */
  usage: MeteredUsage | null;
  /** Request that was sent; null if none had an effect. */
  request: SentRequest | null;
  /** Whether the whole response was read. */
  isWhole: boolean;
  /** Milliseconds until the first byte; undefined if none arrived. */
  firstByteMs: number | undefined;
}
