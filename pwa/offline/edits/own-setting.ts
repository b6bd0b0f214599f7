// A person's own settings, one by one; their values are texts: of the low-water mark an amount of quota, of a switch `true` or
// `false`. Empty: none.
import { accountApi } from '#shared/account.ts';
import { userSettingOf, wantsChannelAlerts } from '#shared/user-setting.ts';
import { accountActionsApi, type UserSettingEdit } from '#shared/account-actions.ts';
import { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import type { EditKind } from './edit-kind.ts';

/** In the order in which they are sent: a webhook is chosen once it has an address. */
export const ownSettingKeys = [
  'quota_warning_threshold',
  'notification_email',
  'webhook_url',
  'notify_type',
  'accept_unset_model_ratio_model',
  'channel_alerts',
] as const;
export type OwnSettingKey = (typeof ownSettingKeys)[number];
export type OwnSettings = Partial<Record<OwnSettingKey, string>>;

export const lowWaterKey = 'quota_warning_threshold';
/** Shown to others, and no notice setting: it has a call of its own. */
export const ownNameKey = 'display_name';

export const ownSettingEdit: EditKind = {
  owns: isOwnSettingKey,
  save: ({ optionKey, mine, base }) =>
    call(accountActionsApi.saveSetting, { body: { ...ownSettingBody({ [optionKey]: mine }), revision: base.revision } }),
  theirs: (data, optionKey) => {
    const user = User.safeParse(data);
    return user.success && isOwnSettingKey(optionKey) ? ownSettingState(user.data, optionKey) : undefined;
  },
  shownBy: 'self',
};

export const ownNameEdit: EditKind = {
  owns: (optionKey) => optionKey === ownNameKey,
  save: ({ mine, base }) => call(accountApi.edit, { body: { display_name: mine, revision: base.revision } }),
  theirs: (data) => {
    const user = User.safeParse(data);
    return user.success ? ownNameState(user.data) : undefined;
  },
  shownBy: 'self',
};

/** What the call takes. */
export function ownSettingBody(values: OwnSettings): UserSettingEdit {
  const { quota_warning_threshold: mark, accept_unset_model_ratio_model: accepts, channel_alerts: alerts, ...texts } = values;
  return {
    ...texts,
    ...(mark === undefined ? {} : { quota_warning_threshold: Number(mark) }),
    ...(accepts === undefined ? {} : { accept_unset_model_ratio_model: accepts === 'true' }),
    ...(alerts === undefined ? {} : { channel_alerts: alerts === 'true' }),
  };
}

export function ownSettingState(user: User, key: OwnSettingKey): OptionState {
  const setting = userSettingOf(user);
  const values: Record<OwnSettingKey, string> = {
    quota_warning_threshold: String(setting.quota_warning_threshold ?? ''),
    notification_email: setting.notification_email ?? '',
    webhook_url: setting.webhook_url ?? '',
    notify_type: setting.notify_type === 'webhook' ? 'webhook' : 'email',
    accept_unset_model_ratio_model: String(setting.accept_unset_model_ratio_model === true),
    channel_alerts: String(wantsChannelAlerts(user)),
  };
  return { value: values[key], revision: user.revision };
}

export function ownNameState(user: User): OptionState {
  return { value: user.display_name, revision: user.revision };
}

function isOwnSettingKey(key: string): key is OwnSettingKey {
  return ownSettingKeys.some((known) => known === key);
}
