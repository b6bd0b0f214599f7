import type { FailureReason } from '#shared/failure-reasons.ts';
import type { NotificationProblem, NotificationState, NotifyType } from '#shared/notifications.ts';

/** What there is to tell. Amounts are quota. */
export type NotificationEvent =
  | { code: 'quota_exceed'; balance: number }
  | { code: 'channel_update'; channel_id: number; name: string; status: number; reason: string; why?: FailureReason }
  | { code: 'limit_ignored'; channel_id: number; name: string; model: string; username: string; limit: number; written: number }
  /** What calls of a day cost by the model's price and by the provider, US dollars. */
  | { code: 'cost_drift'; channel_id: number; name: string; model: string; calls: number; ours: number; reported: number }
  /** Nobody pays a vector store; it is deleted at `until` (unix seconds). */
  | { code: 'store_unpaid'; store: string; name: string; until: number }
  | { code: 'sign_in_ended'; channel_id: number; name: string; reason: string }
  | { code: 'channel_test' };

/** A notice to a person, in the outbox until it is sent or given up. */
export interface NotificationRecord {
  id: number;
  /** Unique: what happened. A second notice of the same is none. */
  key: string;
  user_id: number;
  event: NotificationEvent;
  state: NotificationState;
  /** Attempts that have begun. */
  attempts: number;
  /**
   * Milliseconds. Of one that waits: when it may be taken; whoever takes it moves this on, so that nobody else takes it meanwhile
   * and it comes back if they die. Else: when it was sent or given up.
   */
  next_at: number;
  created_at: number;
  /** Of the last try. */
  notify_type?: NotifyType;
  problem?: NotificationProblem;
  status?: number;
}
