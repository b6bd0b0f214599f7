/** A fine-tuned model, which belongs to one key of one channel. */
export interface TunedModelRecord {
  /** Public id: `ft:…`. Checkpoints append `:ckpt-step-<n>`. */
  id: string;
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  job_id: string;
  channel_id: number;
  /** Hash of the channel's key that it belongs to. */
  key: string;
  /** Original base model, whose prices apply. */
  base: string;
  /** Provider's id. */
  upstream_model: string;
  /** Provider's ids of its checkpoints, by step. */
  checkpoints: readonly { step: number; upstream_model: string }[];
  /** Unix seconds. */
  created_at: number;
  /** `leaving`: its owner has deleted it, and it is to be deleted at the provider. */
  state: 'ready' | 'leaving';
}
