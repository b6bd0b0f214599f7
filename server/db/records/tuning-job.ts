import type { PrepaidWork } from './prepaid-work.ts';

/** A fine-tuning job. Decision 97 describes its money. */
export interface TuningJobRecord extends PrepaidWork {
  /** Public id: `ftjob-…`. */
  id: string;
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
  /** Provider's ids of the resulting model and the metrics files; empty if there are none yet. */
  upstream_model: string;
  upstream_results: readonly string[];
  /** Our ids of these. */
  tuned_model: string;
  result_files: readonly string[];
  checkpoints: readonly { step: number; upstream_model: string }[];
  /** Undefined once the checkpoints are known. */
  lacks_checkpoints?: true;
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
  /** Unix seconds; 0 if not reached yet. */
  finished_at: number;
  estimated_finish: number;
  /** Time of the provider's last report. */
  told_at: number;
}
