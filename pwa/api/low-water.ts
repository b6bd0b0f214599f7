import { userSettingOf } from '#shared/account.ts';
import type { User } from '#shared/users.ts';

/** The balance below which the owner wants to be told, once one was set: the low-water mark of the level. */
export function warningThreshold(user: Pick<User, 'setting'>): number | undefined {
  return userSettingOf(user).quota_warning_threshold;
}
