// The own low-water mark; its value is an amount of quota as text, empty: none.
import { accountApi, userSettingOf } from '#shared/account.ts';
import { User } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import type { EditKind } from './edit-kind.ts';

export const lowWaterKey = 'quota_warning_threshold';

export const lowWaterEdit: EditKind = {
  owns: (optionKey) => optionKey === lowWaterKey,
  save: ({ mine, base }) =>
    call(accountApi.saveSetting, {
      body: { notify_type: 'email', quota_warning_threshold: Number(mine), revision: base.revision },
    }),
  theirs: (data) => {
    const user = User.safeParse(data);
    return user.success ? lowWaterState(user.data) : undefined;
  },
  shownBy: 'self',
};

export function lowWaterState(user: User): OptionState {
  return { value: String(userSettingOf(user).quota_warning_threshold ?? ''), revision: user.revision };
}
