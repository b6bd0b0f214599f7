/** A model's training. Where its money stands is decision 97. */
export interface TuningJobRecord {
  /** As its caller knows it: `ftjob-…`. */
  id: string;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  group: string;
  /** Of the call that created it; the row of its charge has the same. */
  request_id: string;
  channel_id: number;
  /** Which key of the channel it lies behind, as a hash. */
  key: string;
  /** What is trained as its caller calls it, under which name its prices are kept, and what the provider calls it. */
  model: string;
  base: string;
  upstream_base: string;
  method: 'supervised' | 'dpo';
  /** JSON text of what was asked for beside the epochs: numbers by their names. */
  parameters: string;
  epochs: number;
  /** Empty: none was asked for. */
  suffix: string;
  seed: number;
  /** JSON text; empty: none. */
  metadata: string;
  /** Files of the caller's; `validation_file` may be empty. */
  training_file: string;
  validation_file: string;
  /** What the provider was given: what was looked at, written anew. Nobody else knows it. */
  upstream_training: string;
  upstream_validation: string;
  /** What the provider calls the job, the model that came of it, and files of what it measured; empty: not yet, or none. */
  upstream_id: string;
  upstream_model: string;
  upstream_results: readonly string[];
  /** What those are called here. */
  tuned_model: string;
  result_files: readonly string[];
  checkpoints: readonly { step: number; upstream_model: string }[];
  /** Missing: they are known. */
  lacks_checkpoints?: true;
  /**
   * `checking`: its examples are read. `creating`: its charge is on its way or there, and the provider may have it. `running`: the provider
   * has it. `settling`: it is over and its cost is known. `ended`: what it did not cost is back.
   */
  state: 'checking' | 'creating' | 'running' | 'settling' | 'ended';
  /** As the provider tells it. */
  status: string;
  /** JSON text; empty: none. */
  error: string;
  examples: number;
  /** Of the examples, once. */
  tokens: number;
  /** As the provider tells it; -1: not yet. */
  trained_tokens: number;
  /** Those are estimated by its steps; missing: they are as told. */
  trained_by_steps?: true;
  /** The most of its steps that its events have told while it ran, from 0 to 1; missing: none were seen. */
  trained_share?: number;
  /** JSON text of the price that it is charged by, as it was when it was created. */
  quoted: string;
  /** What was taken for all of it, and how much of that from the token. */
  reserved: number;
  token_reserved: number;
  /** `open`: that charge is being settled. `none`: nothing is or will be charged. */
  charge: 'open' | 'done' | 'none';
  /** Identity of the process that settles the charge. */
  process: string;
  /** What it costs in the end. */
  cost: number;
  /** Id of the log row that tells of its end; 0: not drawn yet. */
  log_id: number;
  /** Unix seconds; 0: not yet. */
  created_at: number;
  finished_at: number;
  estimated_finish: number;
  /** When the provider last told of it. */
  told_at: number;
  /** The owner, until it has ended. */
  open_user_id?: number;
  /** Milliseconds of the next look at it. */
  poll_at: number;
}
