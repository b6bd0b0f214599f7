// What a token's fields must be, for creation and edits alike. The schema has checked types; here are the rules.
import { commaList } from '#shared/comma-list.ts';
import { AppError } from '#shared/errors.ts';
import { tidyTokenName, type TokenCreate, type TokenEdit, tokenNameProblem, type TokensEdit } from '#shared/tokens.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import { checkAllowedAddresses } from './allowed-addresses.ts';
import { checkStays } from '#server/settings/group-moves.ts';
import { mayUseGroup } from '#server/settings/usable-groups.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { TokenFields } from '#server/tokens/insert-token.ts';

/** The given fields in the form they are stored in; absent ones stay absent. @throws {AppError} on the first that is wrong */
export function checkTokenFields(given: TokenCreate | TokenEdit | (TokensEdit & { name?: undefined })): Partial<TokenFields> {
  const { name, expired_time, unlimited_quota, model_limits_enabled, model_limits, allow_ips, group, session_budget } = given;
  const { auto_groups, cross_group_retry } = 'ids' in given ? {} : given;
  return {
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(expired_time === undefined ? {} : { expired_time: checkExpiry(expired_time) }),
    ...(unlimited_quota === undefined ? {} : { unlimited_quota }),
    ...(model_limits_enabled === undefined ? {} : { model_limits_enabled }),
    ...(model_limits === undefined ? {} : { model_limits: tidyList(model_limits) }),
    ...(allow_ips === undefined ? {} : { allow_ips: checkAllowedAddresses(allow_ips ?? '') }),
    ...(group === undefined ? {} : { group }),
    ...(auto_groups === undefined ? {} : { auto_groups: tidyList(auto_groups) }),
    ...(cross_group_retry === undefined ? {} : { cross_group_retry }),
    ...(session_budget === undefined ? {} : { session_budget }),
    ...storedLimits(given),
  };
}

/** @throws {AppError} `token_group_denied` when a group is named that its owner may not use, `group_moving` */
export function checkTokenGroup(
  settings: Settings,
  owner: UserRecord,
  group: string | undefined,
  field: 'group' | 'auto_groups' = 'group',
): void {
  checkStays(settings, group);
  if (group === undefined || group === '' || mayUseGroup(settings, owner.group, group)) return;
  throw new AppError('token_group_denied', {}, { field });
}

/** The same for each group of a comma list. @throws {AppError} as `checkTokenGroup` */
export function checkAutoGroups(settings: Settings, owner: UserRecord, list: string | undefined): void {
  for (const group of commaList(list ?? '')) checkTokenGroup(settings, owner, group, 'auto_groups');
}

function checkName(given: string): string {
  const problem = tokenNameProblem(given);
  if (problem === 'name_required') throw new AppError('token_name_required', {}, { field: 'name' });
  if (problem === 'name_long') throw new AppError('token_name_long', {}, { field: 'name' });
  return tidyTokenName(given);
}

function checkExpiry(time: number): number {
  if (time === 0) throw new AppError('token_expiry_invalid', {}, { field: 'expired_time' });
  return time;
}

function tidyList(text: string): string {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [...new Set(parts)].join(',');
}
