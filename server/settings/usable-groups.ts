// Groups that a user may use: those offered to all users, and the user's own.
import type { TextMap } from '#shared/setting-values.ts';
import type { Settings } from '#server/settings/settings.ts';

const ownGroupText = '用户分组';

/** Group → description. `userGroup` null: without an account, the group `default`. */
export function usableGroups(settings: Settings, userGroup: string | null): TextMap {
  const groups: Record<string, string> = Object.assign(Object.create(null), settings.get('UserUsableGroups'));
  const own = userGroup ?? 'default';
  if (own !== '' && groups[own] === undefined) groups[own] = userGroup === null ? own : ownGroupText;
  delete groups[''];
  return groups;
}

/** Reports whether a user of `userGroup` may use `group`, and it exists. */
export function mayUseGroup(settings: Settings, userGroup: string, group: string): boolean {
  return usableGroups(settings, userGroup)[group] !== undefined && settings.get('GroupRatio')[group] !== undefined;
}
