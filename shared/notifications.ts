import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

/** Channel of a user's notifications. */
export const NotifyType = z.enum(['email', 'webhook']);
export type NotifyType = z.infer<typeof NotifyType>;

/** `waiting`: it is sent, or sent again, when its time has come. `failed`: it is given up. */
export const NotificationState = z.enum(['waiting', 'sent', 'failed']);
export type NotificationState = z.infer<typeof NotificationState>;

/** Why it could not be sent. `http_status`: the receiver answered with `status`. */
export const NotificationProblem = z.enum([
  'no_address',
  'mail_unconfigured',
  'mail_sender_invalid',
  'mail_address_invalid',
  'mail_failed',
  'not_https',
  'private_address',
  'unknown_host',
  'unreachable',
  'tls',
  'timeout',
  'too_large',
  'too_many_redirects',
  'refused_port',
  'broken_answer',
  'http_status',
  'interrupted',
]);
export type NotificationProblem = z.infer<typeof NotificationProblem>;

/** A notice to a person, as it stands. Times are unix seconds. */
export const Notification = z.object({
  id: z.int(),
  /**
   * `quota_exceed`, `budget_used`, `channel_update`, `key_refused`, `limit_ignored`, `cost_drift`, `store_unpaid`, `sign_in_ended`, `price_review`,
   * `price_sync_failed`, `price_plan_changed`, `backup_failed`, `bill_drift`, `channel_test`.
   */
  type: z.string(),
  /** What it says, in the reader's language. */
  title: z.string(),
  /** Absent before the first try. */
  notify_type: z.optional(NotifyType),
  state: NotificationState,
  /** How often it was tried. */
  attempts: z.int(),
  problem: z.optional(NotificationProblem),
  status: z.optional(z.int()),
  created_at: z.int(),
  /** Of one that waits: when it is tried next. Else: when it was sent or given up. */
  next_at: z.int(),
});
export type Notification = z.infer<typeof Notification>;

export const notificationApi = {
  list: endpoint('GET', '/api/user/notifications', {
    access: 'user',
    reply: z.array(Notification),
    summary: 'Own latest notices, and whether they were sent',
  }),
  /** Sends one now, the way that is saved, and waits for it. */
  test: endpoint('POST', '/api/user/notifications/test', {
    access: 'user',
    audit: { exempt: 'mails' },
    reply: z.object({ notify_type: NotifyType, to: z.string() }),
    summary: 'Send a test notice to oneself',
  }),
  /** Answers the mail server's own words when it refuses. */
  testMail: endpoint('POST', '/api/option/test_mail', {
    access: 'root',
    audit: { exempt: 'mails' },
    body: z.object({ to: z.optional(z.string().check(z.maxLength(254))) }),
    reply: z.object({ to: z.string() }),
    summary: 'Send a test mail by the stored mail settings',
  }),
};
