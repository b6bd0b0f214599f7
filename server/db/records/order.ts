/** A top-up that somebody wants to pay for. What it costs and brings is fixed when it is made. */
export interface OrderRecord {
  id: number;
  user_id: number;
  /** Its name for the payment provider. */
  trade_no: string;
  /** Id of the payment provider: only its notices concern the order. */
  provider: string;
  method: string;
  /** As it was ordered: whole dollars, or quota units. */
  amount: number;
  /** What is credited. */
  quota: number;
  /** What is to be paid, in cents. */
  cents: number;
  status: 'pending' | 'success' | 'cancelled';
  create_time: number;
  complete_time: number;
  /** What the provider calls the payment. */
  provider_trade_no: string;
  /** How often it was claimed to be credited: a credit that was refused for good leaves it unpaid, and the next has a name of its own. */
  claims: number;
  /** Milliseconds of a claim that is not credited yet. */
  credit_due_at?: number;
  /** Id of the log row that tells of the credit, drawn when it is claimed. */
  log_id?: number;
}
