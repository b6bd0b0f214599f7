import { z } from 'zod';
import { type UserSetting, userSettingOf } from '#shared/user-setting.ts';
import type { UserSettingEdit } from '#shared/account-actions.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { NotifyType } from '#shared/notifications.ts';
import { quotaLimit } from '#shared/user.ts';
import { webhookUrlOf } from '#shared/webhook-url.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { readWebhookUrl } from '#server/notify/webhook-address.ts';

const email = z.email().max(254);
const secretCharacters = /^[\x21-\x7e]*$/;

/**
 * Stores a user's notification settings. Absent fields stay as they are. The secret of the webhook is stored apart and encrypted; it is never sent,
 * and holds for its address only.
 */
export async function saveUserSetting(
  context: AppContext,
  user: UserRecord,
  { edit, language }: { edit: UserSettingEdit; language: Language },
): Promise<UserRecord> {
  checkEdit(context, edit);
  const { after } = await editAccount(context, {
    id: user.id,
    revision: edit.revision,
    change(current) {
      const before = userSettingOf(current);
      const setting = settingAfter(before, edit, language);
      if (setting.notify_type === 'webhook' && (setting.webhook_url ?? '') === '')
        throw new AppError('webhook_url_required', {}, { field: 'webhook_url' });
      const secret = secretAfter(context, { current, edit, isSameOrigin: originOf(before) === originOf(setting) });
      const text = JSON.stringify({ ...setting, has_webhook_secret: secret !== undefined });
      if (secret === undefined) return { set: { setting: text }, unset: ['webhook_secret'] };
      return { set: { setting: text, webhook_secret: secret } };
    },
  });
  return after;
}

/** @throws {AppError} what is wrong with a field, whatever is stored */
function checkEdit({ settings }: Pick<AppContext, 'settings'>, edit: UserSettingEdit): void {
  const threshold = edit.quota_warning_threshold;
  if (edit.notify_type !== undefined && !NotifyType.safeParse(edit.notify_type).success)
    throw new AppError('notify_type_invalid', {}, { field: 'notify_type' });
  if (threshold !== undefined && !(threshold > 0 && threshold <= quotaLimit))
    throw new AppError('warning_threshold_invalid', {}, { field: 'quota_warning_threshold' });
  const address = edit.notification_email?.trim() ?? '';
  if (address !== '' && !email.safeParse(address).success)
    throw new AppError('notification_email_invalid', {}, { field: 'notification_email' });
  const webhook = edit.webhook_url?.trim() ?? '';
  if (webhook !== '') {
    const url = readWebhookUrl(settings, webhook);
    if (url === undefined) throw new AppError('webhook_url_invalid', {}, { field: 'webhook_url' });
  }
  if (!secretCharacters.test(edit.webhook_secret ?? '')) throw new AppError('webhook_secret_invalid', {}, { field: 'webhook_secret' });
}

function settingAfter(before: UserSetting, edit: UserSettingEdit, language: Language): UserSetting {
  const threshold = edit.quota_warning_threshold;
  const type = NotifyType.safeParse(edit.notify_type ?? before.notify_type);
  const address = edit.notification_email?.trim() ?? before.notification_email ?? '';
  const webhook = edit.webhook_url?.trim() ?? before.webhook_url ?? '';
  const alerts = edit.channel_alerts ?? before.channel_alerts;
  return {
    notify_type: type.success ? type.data : 'email',
    ...(before.quota_warning_threshold === undefined ? {} : { quota_warning_threshold: before.quota_warning_threshold }),
    // Balances are whole units: a mark between two of them is the one above.
    ...(threshold === undefined ? {} : { quota_warning_threshold: Math.ceil(threshold) }),
    ...(address === '' ? {} : { notification_email: address }),
    ...(webhook === '' ? {} : { webhook_url: webhook }),
    accept_unset_model_ratio_model: edit.accept_unset_model_ratio_model ?? before.accept_unset_model_ratio_model ?? false,
    ...(alerts === undefined ? {} : { channel_alerts: alerts }),
    language,
  };
}

/** Returns the encrypted secret; undefined: there is none. A new webhook address needs its secret again. */
function secretAfter(
  { secrets }: AppContext,
  { current, edit, isSameOrigin }: { current: UserRecord; edit: UserSettingEdit; isSameOrigin: boolean },
): string | undefined {
  const given = edit.webhook_secret ?? '';
  if (given !== '') return secrets.encrypt(given, 'webhook_secret');
  return edit.remove_webhook_secret === true || !isSameOrigin ? undefined : current.webhook_secret;
}

function originOf({ webhook_url: url }: UserSetting): string {
  return url === undefined ? '' : (webhookUrlOf(url, true)?.origin ?? '');
}
