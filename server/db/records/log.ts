export interface LogRecord {
  id: number;
  user_id: number;
  /** Unix seconds. */
  created_at: number;
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 refusal, 6 test of a channel. */
  type: number;
  /**
   * `type` again, only on rows that are not consumption: nearly all rows are, so the others have a small index of their own.
   */
  plain_type?: number;
  /** Absent on rows of calls, where `other` says the same. */
  content?: string;
  username: string;
  token_name: string;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Whole seconds. */
  use_time: number;
  is_stream: boolean;
  channel_id: number;
  token_id: number;
  group: string;
  /** What `LogOther` of `shared/logs.ts` describes; sent to clients as JSON text. */
  other: Record<string, unknown> | null;
  request_id?: string;
  /** Settlement: which process wrote the row, and its running number there. Only on rows that charge. */
  process?: string;
  seq?: number;
  /** What was taken from the token's own balance: `quota`, or 0 for an unlimited token. */
  token_quota?: number;
  /** Not listed, because consumption logs are switched off; kept because the books need it. */
  hidden?: boolean;
  /** What was given back of an earlier charge, on the row that tells of it. */
  refunded?: number;
  /** Of the record of the call's refunds, as far as `other` tells of them. */
  refund_version?: number;
  /** On rows of calls that did not end well. Rows of earlier versions get it when their hour is folded. */
  failed?: 1;
  /** On rows of calls that did not find in the provider's cache what their conversation had left there: `other.cache_expected` tokens. */
  cache_broken?: 1;
  /** Of a call that says which session of its client it belongs to: the id of that `CallSessionRecord`. What the client said is in `other`. */
  session_key?: string;
  /** The same on the row that tells of a refund of such a call. */
  refunded_session?: string;
  /** Only on rows of refused calls: user, token, reason and minute. */
  refusal_key?: string;
}
