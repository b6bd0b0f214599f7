/** Row of the log: a call, or an event of an account. The charges of settled calls are read from these rows. */
export interface LogRecord {
  id: number;
  user_id: number;
  /** Unix seconds. */
  created_at: number;
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 refusal, 6 channel test. */
  type: number;
  /** `type` again, only on rows other than consumption: nearly all rows are that, so the others have a small index. */
  plain_type?: number;
  /** Only on rows that were imported from another gateway: they charged no balance here. */
  imported?: 1;
  /** Undefined on rows of calls, where `other` has the data. */
  content?: string;
  username: string;
  token_name: string;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Duration of the call, whole seconds. */
  use_time: number;
  is_stream: boolean;
  channel_id: number;
  token_id: number;
  group: string;
  /** `LogOther` of `shared/logs.ts`; sent to clients as JSON text. */
  other: Record<string, unknown> | null;
  request_id?: string;
  /** Settlement: the process that wrote the row, and its sequence number there. Only on rows that charge. */
  process?: string;
  seq?: number;
  /** Amount from the token's own balance: `quota`, or 0 for an unlimited token. */
  token_quota?: number;
  /** Ids of the budget periods that `quota` is charged to, ascending and comma-separated. Undefined for none. */
  budgets?: string;
  /** Unlisted, because consumption logs were disabled; stored because the books need it. */
  hidden?: boolean;
  /** Refunded amount of an earlier charge, on the row about the refund. */
  refunded?: number;
  /** Version of the call's refund record that `other` reflects. */
  refund_version?: number;
  /** On rows of failed calls. Rows of earlier versions get it when their hour is folded. */
  failed?: 1;
  /** On rows of calls that missed the provider's cache of their conversation: `other.cache_expected` tokens. */
  cache_broken?: 1;
  /** `CallSessionRecord` id of a call with a client session; the client's session id is in `other`. */
  session_key?: string;
  /** Same on the row about a refund of such a call. */
  refunded_session?: string;
  /** Only on rows of refused calls: user, token, reason and minute. */
  refusal_key?: string;
}
