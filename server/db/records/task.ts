import type { FailureReason } from '#shared/failure-reasons.ts';

/** Work that an upstream takes minutes for: a drawing, a piece of music, a video. Where its money stands is decision 40. */
export interface TaskRecord {
  id: number;
  platform: 'midjourney' | 'suno' | 'video';
  /** `platform` again, for the index of lists without a filter: SQLite would take that for as good as any other. */
  listed: TaskRecord['platform'];
  user_id: number;
  username: string;
  token_id: number;
  /** Of the call that submitted it; its log row has the same. */
  request_id: string;
  channel_id: number;
  /** By whose price it was charged. */
  model: string;
  action: string;
  /** Unix seconds. */
  created_at: number;
  updated_at: number;
  /** What its caller calls it; absent where that is the upstream's name. */
  public_id?: string;
  /** Its caller has deleted it: it is theirs no more, and stays for the books. */
  deleted_at?: number;
  /** What the upstream calls it; absent until it was accepted. */
  upstream_id?: string;
  /** Owner, channel and `upstream_id` in one text: nobody pays twice for one task. */
  accepted_key?: string;
  /** The channel that was asked to take it last, until it is known whether one has. Of one that has ended: it may have taken it, and has not said so. */
  asked_channel_id?: number;
  /** Id of the log row that tells of that, until it is written. */
  lost_log_id?: number;
  /** What the upstream said of the submission; 0: nothing yet. */
  code: number;
  status: string;
  /** `0%` to `100%`. */
  progress: string;
  /** A provider's words, or Tidegate's in Chinese. */
  fail_reason: string;
  /** The same as a code and its facts, where it is Tidegate's. */
  fail_cause?: FailureReason;
  /** The same in English, in records of earlier versions. */
  fail_reason_en?: string;
  prompt: string;
  prompt_en: string;
  description: string;
  /** What the caller sent along. */
  state: string;
  /** Unix milliseconds; 0: not yet. */
  submit_time: number;
  start_time: number;
  finish_time: number;
  image_url: string;
  /** JSON texts; empty: none. */
  buttons: string;
  properties: string;
  data: string;
  /** What was charged, and what of it was taken from the token. */
  quota: number;
  token_quota: number;
  refunded_quota: number;
  /** `open`: the charge is being settled. `none`: nothing is or will be charged. */
  charge: 'open' | 'done' | 'none';
  /** Identity of the process that settles the charge. */
  process: string;
  /** Milliseconds after which somebody looks what became of a submission or charge. Absent when that is known. */
  check_at?: number;
  /** The owner, while it runs. */
  running_user_id?: number;
  /** Milliseconds of the next question to the upstream. Only while it runs and the upstream has it. */
  poll_at?: number;
  /** Milliseconds of a refund that is not known to be done. */
  refund_due_at?: number;
  /** Id of the log row that tells of the refund, drawn when the task fails. */
  refund_log_id?: number;
}
