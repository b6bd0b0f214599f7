/** A change of a balance other than a relayed call. */
export interface LedgerRecord {
  id: number;
  /** Unique reference of the event, e.g. `setup`, `edit:<uuid>`, `redemption:17`. */
  ref: string;
  account: 'user' | 'token' | 'budget';
  account_id: number;
  /** Quota, signed. */
  amount: number;
  kind: string;
  created_at: number;
  actor_id: number;
  /** Entered by the actor. */
  reason?: string;
  process: string;
  state: 'open' | 'done' | 'void';
  /** Applied only while the account's record has this revision: an edit overtaken by another is void. */
  revision?: number;
  /** Void because its process died: no outcome was reported, so the same change may be requested again. */
  abandoned?: boolean;
  /**
   * Change of the used amount. Closing entries: used by removed rows (`amount` is what they charged). Refunds:
   * negative.
   */
  used?: number;
  /** Opening entry of an account that was moved in: may be negative, and `used` is what was used before. */
  opening?: boolean;
  /** A charge that may exceed the balance. */
  unbounded?: boolean;
  /** Closing entries: the last batch of them. */
  batch?: number;
}
