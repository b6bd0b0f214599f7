/** A model that was trained for its owner, and lies behind one key of one channel. */
export interface TunedModelRecord {
  /** Its name: `ft:…`. Those of its checkpoints have `:ckpt-step-<n>` behind it. */
  id: string;
  user_id: number;
  job_id: string;
  channel_id: number;
  /** Which key of the channel it lies behind, as a hash. */
  key: string;
  /** What it was trained from at first: its prices are kept under that name. */
  base: string;
  /** As the provider knows it. */
  upstream_model: string;
  /** What the provider calls its checkpoints, by their steps. */
  checkpoints: readonly { step: number; upstream_model: string }[];
  /** Unix seconds. */
  created_at: number;
  /** `leaving`: its owner has deleted it, and the provider is to. */
  state: 'ready' | 'leaving';
}
