import type { FailureReason } from '#shared/failure-reasons.ts';
import type { PriceSyncFailure } from '#shared/price-sync.ts';
import type { LimitScope } from '#shared/rate-limits.ts';
import type { NotificationProblem, NotificationState, NotifyType } from '#shared/notifications.ts';

/** Content of a notification. Amounts are quota. */
export type NotificationEvent =
  /** `organisation`: its name, if the balance is that of one. */
  | { code: 'quota_exceed'; balance: number; organisation?: string }
  /** A budget was used up to a mark (percent). `scope` says whose it is, `subject` is the name of that token or user; amounts are quota, of the period. */
  | {
      code: 'budget_used';
      scope: LimitScope;
      subject: string;
      name: string;
      percent: number;
      used: number;
      amount: number;
      ends_at: number;
    }
  | { code: 'channel_update'; channel_id: number; name: string; status: number; reason: string; why?: FailureReason }
  /** One of a channel's keys was disabled; `remaining` others are enabled. */
  | { code: 'key_refused'; channel_id: number; name: string; ending: string; remaining: number; why: FailureReason }
  | { code: 'limit_ignored'; channel_id: number; name: string; model: string; username: string; limit: number; written: number }
  /** Costs of a day's calls by the model's price and by the provider's report, in US dollars. */
  | { code: 'cost_drift'; channel_id: number; name: string; model: string; calls: number; ours: number; reported: number }
  /** An unpaid vector store; it is deleted at `until` (unix seconds). */
  | { code: 'store_unpaid'; store: string; name: string; until: number }
  | { code: 'sign_in_ended'; channel_id: number; name: string; reason: string }
  /** Price changes of a catalogue that wait for a person; `models` are the first of `count`. */
  | { code: 'price_review'; source: string; count: number; models: string }
  | { code: 'price_sync_failed'; source: string; reason: PriceSyncFailure; detail: string }
  /** Planned price changes that were not applied, because a price was edited since. */
  | { code: 'price_plan_changed'; count: number; models: string }
  | { code: 'backup_failed'; name: string; reason: string }
  /** Days of a bill that are away from what was expected, of both in US dollars as decimal texts. */
  | { code: 'bill_drift'; account_id: number; name: string; from: string; to: string; days: number; ours: string; billed: string }
  | { code: 'channel_test' };

/** A notification in the outbox, until it is sent or given up. */
export interface NotificationRecord {
  id: number;
  /** Unique key of the event, which prevents duplicates. */
  key: string;
  user_id: number;
  event: NotificationEvent;
  state: NotificationState;
  /** Number of attempts begun. */
  attempts: number;
  /**
   * Milliseconds. While it waits: when it may be claimed; claiming moves this ahead, so that other processes skip it,
   * and it returns if the claimer dies. Afterwards: when it was sent or given up.
   */
  next_at: number;
  created_at: number;
  /** Method of the last attempt. */
  notify_type?: NotifyType;
  problem?: NotificationProblem;
  status?: number;
}
