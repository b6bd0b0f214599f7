/** A file that a caller has uploaded to a provider through a channel. */
export interface FileRecord {
  /** Public id: `file-…`. */
  id: string;
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  channel_id: number;
  /** Hash of the channel's key that it belongs to. */
  key: string;
  /** Provider's id; empty until it has accepted the file. */
  upstream_id: string;
  filename: string;
  purpose: string;
  bytes: number;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
  /**
   * `sending`: the provider does not have it yet; `leaving`: its owner has deleted it, and it is to be deleted at the
   * provider.
   */
  state: 'sending' | 'stored' | 'leaving';
  /** Process that is uploading it; undefined for an upload that waits for parts. */
  process?: string;
  /** Multipart upload, until complete: the provider's id, bytes received, and deadline (unix seconds). */
  upload_id?: string;
  sent_bytes?: number;
  upload_until?: number;
  /** Bytes of `sent_bytes` in flight, by the process that sends them. */
  part_bytes?: Record<string, number>;
  /** Has no expiry at the provider: it is deleted on request only, and has a marked name there (`marked-name.ts`). */
  stays?: true;
  /** The upload failed at the provider: the file may exist there and is searched for; it does not count as the user's. */
  not_taken?: true;
  /**
   * Vector store id → time since which it holds the file (unix seconds). The file's lifetime is extended while one of
   * them exists.
   */
  held_by?: Record<string, number>;
  /** Results of a batch: the requested model, if the provider's name differs. */
  asked_model?: string;
  /** Provider's name of a fine-tuned model, which reveals the account, and is replaced in the results. */
  upstream_model?: string;
}
