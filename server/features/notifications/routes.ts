import { userSettingOf } from '#shared/user-setting.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { type Notification, notificationApi } from '#shared/notifications.ts';
import { problemText } from '#shared/notification-problems.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import { limitNotices } from '#server/accounts/mail-limits.ts';
import type { AppContext } from '#server/context.ts';
import type { NotificationRecord } from '#server/db/records/notification.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { languageOf, notifyUser } from '#server/notify/deliver.ts';
import { textOf, trialText } from '#server/notify/notification-texts.ts';
import { sendTestMail } from './test-mail.ts';

/** The latest that are shown. */
const shown = 10;
const testLimit = { count: 10, windowSeconds: 600 };

export function mountNotifications(host: RouteHost): void {
  mount(host, notificationApi.list, async (call) => {
    const { user } = signedIn(call);
    const rows = await call.context.db.collection('notifications').find({ user_id: user.id }, { sort: [['id', -1]], limit: shown });
    return rows.map((row) => present(call.context, row, call.facts.language));
  });
  mount(host, notificationApi.test, (call) => sendTest(call.context, signedIn(call).user));
  mount(host, notificationApi.testMail, (call) => sendTestMail(call.context, signedIn(call).user, call));
}

async function sendTest(context: AppContext, user: UserRecord): Promise<{ notify_type: 'email' | 'webhook'; to: string }> {
  await enforceLimit(context, { key: `test-notice:${user.id}`, ...testLimit });
  const { notify_type: type, notification_email: email = '' } = userSettingOf(user);
  // The address is not verified.
  if (type !== 'webhook' && email !== '' && foldEmail(email) !== user.email_folded) await limitNotices(context, email);
  const outcome = await notifyUser(context, user, { text: trialText(languageOf(user)), id: `t${context.randomText(12)}` });
  if (outcome.ok) return { notify_type: outcome.notify_type, to: outcome.to };
  throw new AppError('notification_failed', { reason: problemText(outcome.problem, outcome.status) });
}

/** @param language of the reader: what was sent may have been in the one that is saved */
function present({ settings }: AppContext, row: NotificationRecord, language: Language): Notification {
  const text = textOf(row.event, language, settings);
  return {
    id: row.id,
    type: text.type,
    title: text.title,
    ...(row.notify_type === undefined ? {} : { notify_type: row.notify_type }),
    state: row.state,
    attempts: row.attempts,
    ...(row.problem === undefined ? {} : { problem: row.problem }),
    ...(row.status === undefined ? {} : { status: row.status }),
    created_at: row.created_at,
    next_at: Math.floor(row.next_at / 1000),
  };
}
