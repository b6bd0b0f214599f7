// Groups that a user may use: those offered to all users or to those of the user's group, and the user's own.
import { autoGroup } from '#shared/group-settings.ts';
import type { TextMap } from '#shared/setting-values.ts';
import type { Settings } from '#server/settings/settings.ts';

const ownGroupText = '用户分组';
const specialKey = 'group_ratio_setting.group_special_usable_group';
/** Prefixes of groups that are offered to users of one group, or withdrawn from them. */
const [adds, removes] = ['+:', '-:'];

/** Group → description. `userGroup` null: without an account, the group `default`. */
export function usableGroups(settings: Settings, userGroup: string | null): TextMap {
  const groups: Record<string, string> = Object.assign(Object.create(null), settings.get('UserUsableGroups'));
  const own = userGroup ?? 'default';
  for (const [name, text] of Object.entries(settings.get(specialKey)[own] ?? {})) {
    if (name.startsWith(removes)) delete groups[name.slice(removes.length)];
    else groups[name.startsWith(adds) ? name.slice(adds.length) : name] = text;
  }
  if (own !== '' && groups[own] === undefined) groups[own] = userGroup === null ? own : ownGroupText;
  delete groups[''];
  return groups;
}

/** Reports whether a user of `userGroup` may use `group`, and it exists or is `auto`. */
export function mayUseGroup(settings: Settings, userGroup: string, group: string): boolean {
  return isOffered(settings, userGroup, group) && (settings.get('GroupRatio')[group] !== undefined || isAutoGroup(settings, group));
}

/** Reports whether the name means a list of groups. A group that has the name wins. */
export function isAutoGroup(settings: Settings, group: string): boolean {
  return group === autoGroup && settings.get('GroupRatio')[autoGroup] === undefined;
}

/** Reports whether `group` is among the groups of `usableGroups`; for every call. */
export function isOffered(settings: Settings, userGroup: string, group: string): boolean {
  if (group === '') return false;
  if (group === userGroup) return true;
  const special = settings.get(specialKey)[userGroup];
  if (special !== undefined) {
    if (special[`${adds}${group}`] !== undefined || special[group] !== undefined) return true;
    if (special[`${removes}${group}`] !== undefined) return false;
  }
  return Object.hasOwn(settings.get('UserUsableGroups'), group);
}
