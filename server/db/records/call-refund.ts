/** What an administrator gave back of one call. Its id is that of the call's row in the log. */
export interface CallRefundRecord {
  id: number;
  /** Moves with every change of the record. */
  version: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  /** What the call cost, and what of it came from the token's own balance. */
  quota: number;
  token_quota: number;
  /** In the order in which they were asked for. */
  acts: CallRefundAct[];
  /** Since when one of them is due, in milliseconds; absent: none is. */
  due_at?: number;
}

export interface CallRefundAct {
  /** As whoever asked for it named it. */
  ref: string;
  amount: number;
  token_amount: number;
  reason: string;
  actor_id: number;
  actor_name: string;
  /** Unix seconds. */
  at: number;
  /** Of the log row that tells of it. */
  log_id: number;
  /** `refused`: the account is gone, or holds all that it can. */
  state: 'due' | 'done' | 'refused';
}
