// What groups are called, and which settings need which of them.
import type { NumberMap, SettingProblem } from '#shared/setting-values.ts';

/** Group of keys whose calls are served by the first of a list of groups that can, unless a group has this name. */
export const autoGroup = 'auto';

/** Groups are listed with commas between them. */
export function isGroupName(name: string): boolean {
  return name.length <= 64 && name === name.trim() && !name.includes(',');
}

export function checkGroupRatio(map: NumberMap): SettingProblem | undefined {
  const negative = Object.entries(map).find(([, value]) => value < 0);
  if (negative !== undefined) return { code: 'group_ratio_negative', details: { group: negative[0] } };
  return Object.hasOwn(map, 'default') ? undefined : { code: 'group_default_missing', details: {} };
}
