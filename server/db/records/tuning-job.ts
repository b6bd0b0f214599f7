/** A fine-tuning job. Decision 97 describes its money. */
export interface TuningJobRecord {
  /** Public id: `ftjob-…`. */
  id: string;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  group: string;
  /** Request id of the creation, also of the charge's log row. */
  request_id: string;
  channel_id: number;
  /** Hash of the channel's key that it belongs to. */
  key: string;
  /** Model to train: the caller's name, the name whose prices apply, and the provider's name. */
  model: string;
  base: string;
  upstream_base: string;
  method: 'supervised' | 'dpo';
  /** JSON text of hyperparameters other than epochs. */
  parameters: string;
  epochs: number;
  /** Empty if none was requested. */
  suffix: string;
  seed: number;
  /** JSON text; empty if there is none. */
  metadata: string;
  /** Files of the caller; `validation_file` may be empty. */
  training_file: string;
  validation_file: string;
  /** Provider's files: the validated, rewritten examples, used by this job only. */
  upstream_training: string;
  upstream_validation: string;
  /** Provider's ids of the job, the resulting model and the metrics files; empty if there are none yet. */
  upstream_id: string;
  upstream_model: string;
  upstream_results: readonly string[];
  /** Our ids of these. */
  tuned_model: string;
  result_files: readonly string[];
  checkpoints: readonly { step: number; upstream_model: string }[];
  /** Undefined once the checkpoints are known. */
  lacks_checkpoints?: true;
  /**
   * `checking`: examples are validated. `creating`: charged or being charged, and the provider may have it. `running`:
   * the provider has it. `settling`: it has ended and its cost is known. `ended`: the rest is refunded.
   */
  state: 'checking' | 'creating' | 'running' | 'settling' | 'ended';
  /** Status reported by the provider. */
  status: string;
  /** JSON text; empty if there is none. */
  error: string;
  examples: number;
  /** Tokens of one epoch. */
  tokens: number;
  /** Reported by the provider; -1 if not yet. */
  trained_tokens: number;
  /** `trained_tokens` is estimated from the steps; undefined if reported. */
  trained_by_steps?: true;
  /** Largest share of steps seen in its events, from 0 to 1; undefined if none were seen. */
  trained_share?: number;
  /** JSON text of the price at its creation. */
  quoted: string;
  /** Prepayment, and the token's part of it. */
  reserved: number;
  token_reserved: number;
  /** `open`: the charge is being settled. `none`: nothing is or will be charged. */
  charge: 'open' | 'done' | 'none';
  /** Identity of the process that settles the charge. */
  process: string;
  /** Final cost. */
  cost: number;
  /** Id of the log row about its end; 0 if not drawn yet. */
  log_id: number;
  /** Unix seconds; 0 if not reached yet. */
  created_at: number;
  finished_at: number;
  estimated_finish: number;
  /** Time of the provider's last report. */
  told_at: number;
  /** The owner, until it has ended. */
  open_user_id?: number;
  /** Milliseconds of the next look at it. */
  poll_at: number;
}
