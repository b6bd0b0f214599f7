/** A file that a caller has left at a provider, through the channel where it lies. */
export interface FileRecord {
  /** As its caller knows it: `file-…`. */
  id: string;
  user_id: number;
  channel_id: number;
  /** Which key of the channel it lies behind, as a hash. */
  key: string;
  /** As the provider knows it; empty until it has taken it. */
  upstream_id: string;
  filename: string;
  purpose: string;
  bytes: number;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
  /** `sending`: the provider does not have it yet; `leaving`: its owner has deleted it, and the provider is to. */
  state: 'sending' | 'stored' | 'leaving';
  /** Which process is sending it; not of an upload that waits for its parts. */
  process?: string;
  /** Of one that comes in parts, until it is complete: what the provider calls that, how much has come, and until when it may (unix seconds). */
  upload_id?: string;
  sent_bytes?: number;
  upload_until?: number;
  /** Of its `sent_bytes` those of parts that are on their way now, by the process that sends them. */
  part_bytes?: Record<string, number>;
  /** The provider was not told until when it is to keep it: it goes by our word alone, and is called there as `relay/marked-name.ts` says. */
  stays?: true;
  /** Its provider has failed to take it: it is looked for there, and does not count among its user's files. */
  not_taken?: true;
  /** By the id of each vector store that it was put into: since when (unix seconds). Its time goes on while one of them is there. */
  held_by?: Record<string, number>;
  /** Of results of a batch whose provider has another name for the model: the one that was asked for. */
  asked_model?: string;
  /** With that, of a model that was trained for a caller: what the provider calls it, of whose account that name tells. */
  upstream_model?: string;
}
