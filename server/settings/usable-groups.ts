// Which groups somebody may use: those that the administrators offer to everybody, and one's own.
import type { TextMap } from '#shared/setting-values.ts';
import type { Settings } from '#server/settings/settings.ts';

const ownGroupText = '用户分组';

/** Group → description. `userGroup` null: somebody without an account, who has the group `default`. */
export function usableGroups(settings: Settings, userGroup: string | null): TextMap {
  const groups: Record<string, string> = Object.assign(Object.create(null), settings.get('UserUsableGroups'));
  const own = userGroup ?? 'default';
  if (own !== '' && groups[own] === undefined) groups[own] = userGroup === null ? own : ownGroupText;
  delete groups[''];
  return groups;
}

/** True when a user of `userGroup` may use `group`, and it exists. */
export function mayUseGroup(settings: Settings, userGroup: string, group: string): boolean {
  return usableGroups(settings, userGroup)[group] !== undefined && settings.get('GroupRatio')[group] !== undefined;
}
