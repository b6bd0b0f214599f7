/** Refunds of one call by administrators. Has the id of the call's log row. */
export interface CallRefundRecord {
  id: number;
  /** Increases with every change. */
  version: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  /** Cost of the call, and its part from the token's balance. */
  quota: number;
  token_quota: number;
  /** Budget periods that it was charged to, as in the row. Undefined for none. */
  budgets?: string;
  /** In the order requested. */
  acts: CallRefundAct[];
  /** Time since which a refund is due, in milliseconds; undefined if none is. */
  due_at?: number;
}

export interface CallRefundAct {
  /** Reference chosen by the requester. */
  ref: string;
  amount: number;
  token_amount: number;
  reason: string;
  actor_id: number;
  actor_name: string;
  /** Unix seconds. */
  at: number;
  /** Id of the log row about it. */
  log_id: number;
  /** `refused`: the account is deleted or at its maximum. */
  state: 'due' | 'done' | 'refused';
}
