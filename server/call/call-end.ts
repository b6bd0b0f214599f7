// Reasons why calls end, with their consequences for the log, the channel and the caller.
import type { ErrorCode } from '#shared/errors.ts';
import type { CallEnding } from '#shared/logs.ts';

interface EndRule {
  /** Value in the log row; undefined for a normal end. */
  logged: CallEnding | undefined;
  /** Outcome for the channel's health if the response had begun. */
  channel: 'well' | 'failed' | 'nothing';
  /** Error for the caller, if the upstream sent none. */
  reported: ErrorCode;
  /** Whether the provider bills the work although the response is incomplete. */
  isCut?: true;
  /** Whether the caller or the request caused the end, so that output that the provider still generates is charged. */
  isByCaller?: true;
}

const rules = {
  completed: { logged: undefined, channel: 'well', reported: 'internal_error' },
  client_disconnected: { logged: 'client_closed', channel: 'nothing', reported: 'client_closed', isCut: true, isByCaller: true },
  shutdown: { logged: 'shutdown', channel: 'nothing', reported: 'shutting_down', isCut: true },
  /** The account could not pay for the rest of the response. */
  overdraft: { logged: 'overdraft', channel: 'well', reported: 'overdraft_stopped', isCut: true, isByCaller: true },
  /** The model wrote a word that the site blocks. */
  blocked_words: { logged: 'blocked_words', channel: 'well', reported: 'output_blocked', isCut: true, isByCaller: true },
  /** An upstream reported a failure, or could not be reached. */
  upstream_failed: { logged: 'upstream_error', channel: 'failed', reported: 'invalid_upstream_response' },
  /** No provider was called: the formats of those available cannot express the request. */
  unsendable: { logged: 'unsendable', channel: 'nothing', reported: 'untranslatable' },
  /** The stream stopped without its proper end. */
  truncated: { logged: 'truncated', channel: 'failed', reported: 'upstream_truncated', isCut: true },
  /** The upstream fell silent. */
  stalled: { logged: 'stalled', channel: 'failed', reported: 'upstream_timeout', isCut: true },
  invalid_response: { logged: 'invalid_answer', channel: 'failed', reported: 'invalid_upstream_response' },
  invalid_usage: { logged: 'invalid_usage', channel: 'failed', reported: 'invalid_upstream_response' },
  no_channel: { logged: 'upstream_error', channel: 'nothing', reported: 'no_channel' },
  /** Fault of the gateway. */
  fault: { logged: 'fault', channel: 'nothing', reported: 'internal_error' },
} as const satisfies Record<string, EndRule>;

export type EndReason = keyof typeof rules;

export const endRules: Readonly<Record<EndReason, EndRule>> = rules;

/** Why a call is to be ended before its response is complete. */
export type StopReason = 'client_disconnected' | 'shutdown';

/** End of a call before its response is complete. */
export interface CallStop {
  /** Reason; undefined while the call continues. */
  reason: StopReason | undefined;
  /** Ends the work in progress. If undefined, there is none. */
  end: (() => void) | undefined;
}
