/** Everything that changes a balance and is not a relayed call. */
export interface LedgerRecord {
  id: number;
  /** Unique: what happened, e.g. `setup`, `edit:<uuid>`, `redemption:17`. */
  ref: string;
  account: 'user' | 'token';
  account_id: number;
  /** Quota, signed. */
  amount: number;
  kind: string;
  created_at: number;
  actor_id: number;
  /** In the words of who did it. */
  reason?: string;
  process: string;
  state: 'open' | 'done' | 'void';
  /** Applied only while the account's record has this revision: an edit that somebody else's has overtaken is void. */
  revision?: number;
  /** Void because its process ended: nobody was told of any outcome, so the same change may be asked for again. */
  abandoned?: boolean;
  /**
   * What the entry adds to what was used. Closing entries: what rows that are gone had used (`amount` is what they took). Refunds: what
   * was not used after all, negative.
   */
  used?: number;
  /** Closing entries: the last batch of them. */
  batch?: number;
}
