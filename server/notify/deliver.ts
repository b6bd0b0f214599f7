// Sends the notices of the outbox. A process claims a notice for a while; a failed attempt is repeated at growing intervals.
import type { Logger } from 'pino';
import { userSettingOf } from '#shared/user-setting.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { NotificationProblem, type NotifyType } from '#shared/notifications.ts';
import { UserStatus } from '#shared/user.ts';
import type { Database } from '#server/db/database.ts';
import type { NotificationRecord } from '#server/db/records/notification.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Egress } from '#server/egress/egress.ts';
import { EgressRefusal } from '#server/egress/egress-refusal.ts';
import { composeMail } from '#server/notify/compose-mail.ts';
import { type Mail, MailFailure } from '#server/notify/mail.ts';
import { mailContent, type NotificationText, textOf } from '#server/notify/notification-texts.ts';
import { sendWebhook } from '#server/notify/webhook.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface DeliveryDependencies {
  db: Database;
  settings: Settings;
  secrets: Secrets;
  mail: Mail;
  egress: Egress;
  log: Logger;
  now(): number;
}

/** What became of one attempt. `isFinal`: another one would end the same. */
export type Outcome =
  | { ok: true; notify_type: NotifyType; to: string }
  | { ok: false; notify_type?: NotifyType; problem: NotificationProblem; status?: number; isFinal: boolean };

/** Longer than an attempt ever takes. */
const leaseMs = 120_000;
const minute = 60_000;
/** Before the second attempt, the third, … */
const pauses = [minute, 5 * minute, 30 * minute, 120 * minute, 360 * minute];
const atOnce = 4;
/** A run ends after so many: then low balances are looked for again. */
const perRun = 100;

/** Sends what is due while `isWanted`, and returns how many were claimed. */
export async function deliverDue(parts: DeliveryDependencies, isWanted: () => boolean = () => true): Promise<number> {
  let taken = 0;
  const work = async () => {
    while (taken < perRun && isWanted()) {
      const notification = await take(parts);
      if (notification === null) return;
      taken += 1;
      await deliver(parts, notification);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return taken;
}

/** Makes one attempt to notify a user, by the chosen channel. */
export async function notifyUser(
  parts: DeliveryDependencies,
  user: UserRecord,
  { text, id }: { text: NotificationText; id: string },
): Promise<Outcome> {
  const setting = userSettingOf(user);
  const type: NotifyType = setting.notify_type === 'webhook' ? 'webhook' : 'email';
  try {
    if (type === 'webhook') return await notifyByWebhook(parts, user, { text, id, url: setting.webhook_url ?? '' });
    const to = setting.notification_email || user.email;
    if (to === '') return { ok: false, notify_type: type, problem: 'no_address', isFinal: true };
    const message = { to, subject: text.title, ...mailContent(text), language: languageOf(user) };
    await parts.mail.send(composeMail(parts.settings, message));
    return { ok: true, notify_type: type, to };
  } catch (failure) {
    return { ok: false, notify_type: type, ...problemOf(parts, failure) };
  }
}

/** Returns the language in which the user last saved the notification settings. */
export function languageOf(user: Pick<UserRecord, 'setting'>): Language {
  return userSettingOf(user).language ?? 'zh';
}

async function notifyByWebhook(
  parts: DeliveryDependencies,
  { webhook_secret: cipher = '' }: UserRecord,
  { url, text, id }: { url: string; text: NotificationText; id: string },
): Promise<Outcome> {
  if (url === '') return { ok: false, notify_type: 'webhook', problem: 'no_address', isFinal: true };
  const secret = cipher === '' ? '' : parts.secrets.decrypt(cipher, 'webhook_secret');
  const status = await sendWebhook(parts, { url, secret, id }, text);
  if (status >= 200 && status < 300) return { ok: true, notify_type: 'webhook', to: url };
  // Gone is the one answer that says that it will stay so.
  return { ok: false, notify_type: 'webhook', problem: 'http_status', status, isFinal: status === 410 };
}

function problemOf({ log }: DeliveryDependencies, failure: unknown): { problem: NotificationProblem; isFinal: boolean } {
  if (failure instanceof EgressRefusal) {
    return { problem: failure.reason, isFinal: failure.reason === 'not_https' };
  }
  if (failure instanceof AppError) {
    const known = NotificationProblem.safeParse(failure.code);
    const isFinal = failure.cause instanceof MailFailure ? failure.cause.isFinal : failure.code === 'mail_address_invalid';
    return { problem: known.success ? known.data : 'mail_failed', isFinal };
  }
  log.error({ err: failure }, 'a notice could not be sent for an unexpected reason');
  return { problem: 'broken_answer', isFinal: false };
}

/** One that is due, for this process alone until its lease ends; null when none is. */
function take({ db, now }: DeliveryDependencies): Promise<NotificationRecord | null> {
  const time = now();
  return db
    .collection('notifications')
    .patch({ state: 'waiting', next_at: { lte: time } }, { set: { next_at: time + leaseMs }, increment: { attempts: 1 } });
}

async function deliver(parts: DeliveryDependencies, notification: NotificationRecord): Promise<void> {
  const { db, settings, now } = parts;
  const { id, attempts, user_id: userId, event } = notification;
  const user = await db.collection('users').get(userId);
  const isThere = user !== null && user.DeletedAt === null && user.status === UserStatus.active;
  const outcome: Outcome = !isThere
    ? { ok: false, problem: 'no_address', isFinal: true }
    : attempts > pauses.length + 1
      ? // Every process that claimed it died.
        { ok: false, problem: 'interrupted', isFinal: true }
      : await notifyUser(parts, user, { text: textOf(event, languageOf(user), settings), id: `n${id}` });
  const pause = pauses[attempts - 1];
  const time = now();
  const mine = { id, state: 'waiting' as const, attempts };
  const { notify_type } = outcome;
  const known = notify_type === undefined ? {} : { notify_type };
  const rows = db.collection('notifications');
  if (outcome.ok) {
    await rows.patch(mine, { set: { ...known, state: 'sent', next_at: time }, unset: ['problem', 'status'] });
    return;
  }
  const { problem, status, isFinal } = outcome;
  const isOver = isFinal || pause === undefined;
  parts.log.warn({ notification: id, problem, status, attempts, isOver }, 'a notice could not be sent');
  await rows.patch(mine, {
    set: {
      ...known,
      state: isOver ? 'failed' : 'waiting',
      next_at: isOver ? time : time + pause,
      problem,
      ...(status === undefined ? {} : { status }),
    },
    ...(status === undefined ? { unset: ['status'] } : {}),
  });
}
