/** Work that is charged before its provider begins and settled by its result, with the state machine of `docs/work.md`. */
export interface PrepaidWork {
  id: string;
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  username: string;
  token_id: number;
  token_name: string;
  group: string;
  /** Request id of the creation, also of the charge's log row. */
  request_id: string;
  channel_id: number;
  /** Hash of the channel's key that it belongs to. */
  key: string;
  /** The caller's name of its model. */
  model: string;
  /** Provider's id; empty if there is none yet. */
  upstream_id: string;
  /**
   * `checking`: its input is validated. `creating`: charged or being charged, and the provider may have it. `running`:
   * the provider has it. `settling`: it has ended and its cost is known. `ended`: the rest is refunded.
   */
  state: 'checking' | 'creating' | 'running' | 'settling' | 'ended';
  /** Status reported by the provider. */
  status: string;
  /** JSON text of the price at its creation. */
  quoted: string;
  /** Prepayment, and the token's part of it. */
  reserved: number;
  token_reserved: number;
  /** Budget periods that the prepayment was charged to, as in a log row. Undefined in records of earlier versions. */
  budgets?: string;
  /** `open`: the charge is being settled. `none`: nothing is or will be charged. */
  charge: 'open' | 'done' | 'none';
  /** Identity of the process that settles the charge. */
  process: string;
  /** Final cost. */
  cost: number;
  /** Id of the log row about its end; 0 if not drawn yet. */
  log_id: number;
  /** Unix seconds. */
  created_at: number;
  /** Unix seconds of the creation request, or of its timeout; undefined if the provider's list has no delay. */
  asked_at?: number;
  /** The owner, until it has ended. */
  open_user_id?: number;
  /** Time of its next poll, or of its removal once it has ended; milliseconds. */
  poll_at: number;
}
