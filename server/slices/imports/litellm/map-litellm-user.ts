// A user of LiteLLM's database.
import { displayNameProblem } from '#shared/account-rules.ts';
import { Role } from '#shared/roles.ts';
import { displayNameLimit, UserStatus } from '#shared/user.ts';
import { isAddress } from '#server/accounts/email-rules.ts';
import { foldName } from '#server/accounts/folded-name.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import { importedUsername } from '#server/accounts/imported-names.ts';
import { importedPasswordHash } from '#server/accounts/imported-passwords.ts';
import { leftOut, type MappedRow, type RowNote, type UserDraft } from '../mapped-row.ts';
import { line, oneLine, text, trimmed } from '../sources/row-values.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { dollars, quotaOf, textList, utcSeconds } from './dollars.ts';

export interface LiteLlmMapping {
  /** Unix seconds. */
  now: number;
  quotaPerUnit: number;
}

const limits = ['tpm_limit', 'rpm_limit', 'max_parallel_requests'] as const;

/** @param taken folded names of the users before it, to which its own is added */
export function mapLiteLlmUser(row: SourceRow, { now, quotaPerUnit }: LiteLlmMapping, taken: Set<string>): MappedRow<UserDraft> {
  const oldId = text(row, 'user_id');
  const budget = dollars(row, 'max_budget');
  const spend = dollars(row, 'spend') ?? 0;
  const money = { amount: budget === null ? 0 : quotaOf(budget - spend, quotaPerUnit), used: quotaOf(spend, quotaPerUnit) };
  const username = nameOf(row, taken);
  if (username === null) return leftOut(oldId, oldId, { reason: 'name_missing' }, money);
  taken.add(foldName(username));
  const notes: RowNote[] = [];
  if (username !== oldId) notes.push({ reason: 'renamed', detail: { zh: '其别名或邮箱', en: 'its alias or address' } });
  const stored = trimmed(row, 'password');
  const hash = importedPasswordHash(stored);
  if (hash === null) notes.push({ reason: stored === '' ? 'password_none' : 'password_form' });
  if (budget === null) notes.push({ reason: 'unlimited' });
  const duration = trimmed(row, 'budget_duration');
  if (duration !== '') notes.push({ reason: 'budget_window', detail: duration });
  for (const column of limits) if (trimmed(row, column) !== '') notes.push({ reason: 'limit_no_place', detail: column });
  if (trimmed(row, 'sso_user_id') !== '') notes.push({ reason: 'no_place', detail: 'sso_user_id' });
  if (textList(row, 'teams').length > 0) notes.push({ reason: 'no_place', detail: 'teams' });
  const email = line(row, 'user_email', 255);
  const display = oneLine(trimmed(row, 'user_alias') || username, displayNameLimit);
  return {
    oldId,
    name: username,
    notes,
    money,
    draft: {
      username,
      username_folded: foldName(username),
      password_hash: hash ?? '',
      display_name: displayNameProblem(display) === undefined ? display : '',
      role: roleOf(row, notes),
      status: UserStatus.active,
      email,
      // Administrators and single sign-on enter it; an address of another person cannot be registered.
      ...(isAddress(email) ? { email_folded: foldEmail(email) } : {}),
      github_id: '',
      oidc_id: '',
      wechat_id: '',
      telegram_id: '',
      linux_do_id: '',
      ...(budget === null ? { unlimited_quota: true } : {}),
      request_count: 0,
      group: 'default',
      aff_count: 0,
      aff_quota: 0,
      aff_history_quota: 0,
      inviterRef: '',
      DeletedAt: null,
      setting: '',
      created_time: utcSeconds(row, 'created_at') ?? now,
      revision: 1,
    },
  };
}

/** Alias, address or id: the first that no user before it has. */
function nameOf(row: SourceRow, taken: ReadonlySet<string>): string | null {
  for (const column of ['user_alias', 'user_email', 'user_id']) {
    const name = importedUsername(line(row, column, 255));
    if (name !== null && !taken.has(foldName(name))) return name;
  }
  return null;
}

function roleOf(row: SourceRow, notes: RowNote[]): number {
  const role = trimmed(row, 'user_role');
  if (role === 'proxy_admin') return Role.admin;
  if (role !== '' && role !== 'internal_user') notes.push({ reason: 'role_no_place', detail: oneLine(role, 40) });
  return Role.user;
}
