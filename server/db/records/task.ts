import type { FailureReason } from '#shared/failure-reasons.ts';

/** Work that takes an upstream minutes: a drawing, music, a video. Decision 40 describes its money. */
export interface TaskRecord {
  id: number;
  platform: 'midjourney' | 'suno' | 'video';
  /** `platform` again, for the index of unfiltered lists: SQLite would consider that as good as any other. */
  listed: TaskRecord['platform'];
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  username: string;
  token_id: number;
  /** Request id of its submission, also of its log row. */
  request_id: string;
  channel_id: number;
  /** Id of the key that submitted it, if the channel had several. */
  channel_key_id?: number;
  /** Model whose price was charged. */
  model: string;
  action: string;
  /** Unix seconds. */
  created_at: number;
  updated_at: number;
  /** Public id; undefined if it is the upstream's id. */
  public_id?: string;
  /** Deleted by its caller, but stored for the books. */
  deleted_at?: number;
  /** Upstream's id; undefined until it was accepted. */
  upstream_id?: string;
  /** Owner, channel and `upstream_id` in one text: prevents paying twice for one task. */
  accepted_key?: string;
  /**
   * Channel last called to accept it, until the outcome is known. On an ended task: the channel may have accepted it
   * without a response.
   */
  asked_channel_id?: number;
  /** Id of the log row about that, until it is written. */
  lost_log_id?: number;
  /** Upstream's code for the submission; 0 if there is none yet. */
  code: number;
  status: string;
  /** `0%` to `100%`. */
  progress: string;
  /** Reason of the failure: the provider's text, or the gateway's in Chinese. */
  fail_reason: string;
  /** Code and facts of a reason of the gateway. */
  fail_cause?: FailureReason;
  /** The same in English, in records of earlier versions. */
  fail_reason_en?: string;
  prompt: string;
  prompt_en: string;
  description: string;
  /** State parameter of the caller. */
  state: string;
  /** Unix milliseconds; 0 if not reached yet. */
  submit_time: number;
  start_time: number;
  finish_time: number;
  image_url: string;
  /** JSON texts; empty if there are none. */
  buttons: string;
  properties: string;
  data: string;
  /** Charged quota, the token's part, and the refund. */
  quota: number;
  token_quota: number;
  /** Budget periods that it was charged to, as in a log row. Undefined if there is no charge, or from an earlier version. */
  budgets?: string;
  refunded_quota: number;
  /** `open`: the charge is being settled. `none`: nothing is or will be charged. */
  charge: 'open' | 'done' | 'none';
  /** Identity of the process that settles the charge. */
  process: string;
  /** Time at which an unresolved submission or charge is checked, milliseconds. Undefined once resolved. */
  check_at?: number;
  /** The owner, while it runs. */
  running_user_id?: number;
  /** Milliseconds of the next poll. Only while it runs and the upstream has it. */
  poll_at?: number;
  /** Time at which a refund became due or was last attempted, milliseconds. Undefined once it is done. */
  refund_due_at?: number;
  /** Id of the log row about the refund, drawn when the task fails. */
  refund_log_id?: number;
}
