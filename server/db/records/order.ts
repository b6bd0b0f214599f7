/** A top-up to be paid. Its cost and credit are fixed at creation. */
export interface OrderRecord {
  id: number;
  user_id: number;
  /** Reference for the payment provider. */
  trade_no: string;
  /** Id of the payment provider: only its notifications apply to the order. */
  provider: string;
  method: string;
  /** Amount ordered: whole dollars, or quota units. */
  amount: number;
  /** Quota to credit. */
  quota: number;
  /** Price in cents. */
  cents: number;
  status: 'pending' | 'success' | 'cancelled';
  create_time: number;
  complete_time: number;
  /** Payment provider's id of the payment. */
  provider_trade_no: string;
  /**
   * Number of claims for crediting: a credit that was refused for good leaves it unpaid, and the next claim has another
   * reference.
   */
  claims: number;
  /** Time of a claim that is not credited yet, milliseconds. */
  credit_due_at?: number;
  /** Id of the log row about the credit, drawn with the claim. */
  log_id?: number;
}
