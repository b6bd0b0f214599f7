import { userSettingOf } from '#shared/user-setting.ts';
import type { User } from '#shared/user.ts';

/** Returns the balance below which the owner gets a reminder, if one was set: the low-water mark of the level. */
export function warningThreshold(user: Pick<User, 'setting'>): number | undefined {
  return userSettingOf(user).quota_warning_threshold;
}

/** The account has never had credit: its balance has not run out. */
export function isUnfunded({ quota, used_quota, full_mark }: Pick<User, 'quota' | 'used_quota' | 'full_mark'>): boolean {
  return quota === 0 && used_quota === 0 && full_mark === 0;
}
