import { z } from 'zod';
import { type UserSetting, type UserSettingEdit, userSettingOf } from '#shared/account.ts';
import { AppError } from '#shared/errors.ts';
import { quotaLimit } from '#shared/users.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';

const email = z.email();

/**
 * Stores what a user wants to be told, and from which balance on. Notices by webhook and calls of models without a price do
 * not exist yet: they are refused rather than promised.
 */
export async function saveUserSetting(context: AppContext, user: UserRecord, edit: UserSettingEdit): Promise<UserRecord> {
  const address = edit.notification_email?.trim() ?? '';
  const threshold = edit.quota_warning_threshold;
  if (edit.notify_type !== undefined && edit.notify_type !== 'email' && edit.notify_type !== 'webhook')
    throw new AppError('notify_type_invalid', {}, { field: 'notify_type' });
  if (threshold !== undefined && !(threshold > 0 && threshold <= quotaLimit))
    throw new AppError('warning_threshold_invalid', {}, { field: 'quota_warning_threshold' });
  if (edit.notify_type === 'webhook') throw new AppError('option_not_built', { key: 'notify_type' }, { field: 'notify_type' });
  if (address !== '' && !email.safeParse(address).success)
    throw new AppError('notification_email_invalid', {}, { field: 'notification_email' });
  if (edit.accept_unset_model_ratio_model === true)
    throw new AppError('option_not_built', { key: 'accept_unset_model_ratio_model' }, { field: 'accept_unset_model_ratio_model' });

  const { after } = await editAccount(context, {
    id: user.id,
    revision: edit.revision,
    change: (current) => ({ set: { setting: JSON.stringify(settingAfter(userSettingOf(current), edit)) } }),
  });
  return after;
}

function settingAfter(before: UserSetting, { quota_warning_threshold: threshold, notification_email }: UserSettingEdit): UserSetting {
  const address = notification_email?.trim() ?? before.notification_email ?? '';
  return {
    notify_type: 'email',
    ...(before.quota_warning_threshold === undefined ? {} : { quota_warning_threshold: before.quota_warning_threshold }),
    // Balances are whole units: a mark between two of them is the one above.
    ...(threshold === undefined ? {} : { quota_warning_threshold: Math.ceil(threshold) }),
    ...(address === '' ? {} : { notification_email: address }),
    accept_unset_model_ratio_model: false,
  };
}
