// A user of one-api and new-api.
import { displayNameLimit, UserStatus } from '#shared/user.ts';
import { displayNameProblem } from '#shared/account-rules.ts';
import { Role } from '#shared/roles.ts';
import { foldName } from '#server/accounts/folded-name.ts';
import { isAddress } from '#server/accounts/email-rules.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import { importedUsername } from '#server/accounts/imported-names.ts';
import { importedPasswordHash } from '#server/accounts/imported-passwords.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { leftOut, type MappedRow, type RowNote, type UserDraft } from '../mapped-row.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { integer, isDeleted, jsonObject, line, oneLine, quota, text, trimmed } from '../sources/row-values.ts';

export interface UserMapping {
  /** Unix seconds. */
  now: number;
  secrets: Pick<Secrets, 'hash' | 'encrypt'>;
  /** The source verified e-mail addresses. */
  verifiesEmail: boolean;
  /** Groups with a ratio. */
  groups: ReadonlySet<string>;
}

/** Columns of identities, and the field that is unique by them. */
const identities = [
  ['github_id', 'github_subject'],
  ['oidc_id', 'oidc_subject'],
  ['wechat_id', 'wechat_subject'],
  ['telegram_id', 'telegram_subject'],
  ['linux_do_id', 'linux_do_subject'],
] as const;

/** Columns with a value that no field takes. */
const withoutPlace = ['discord_id', 'lark_id', 'remark', 'stripe_customer', 'avatar_url'] as const;

export function mapUser(row: SourceRow, mapping: UserMapping): MappedRow<UserDraft> {
  const oldId = text(row, 'id');
  const written = line(row, 'username', 255);
  const username = importedUsername(written);
  const name = username ?? (written === '' ? `#${oldId}` : written);
  const money = { amount: quota(row, 'quota'), used: quota(row, 'used_quota') };
  const status = integer(row, 'status', UserStatus.active);
  // one-api marks deleted users by a third status.
  if (isDeleted(row) || status === 3) return leftOut(oldId, name, { reason: 'deleted' }, money);
  if (username === null) return leftOut(oldId, name, { reason: 'name_missing' }, money);
  const notes: RowNote[] = [];
  const role = integer(row, 'role', Role.user);
  if (role < Role.user) notes.push({ reason: 'role_guest' });
  const group = line(row, 'group', 64) || 'default';
  if (!mapping.groups.has(group)) notes.push({ reason: 'group_unknown', detail: group });
  for (const column of withoutPlace) if (trimmed(row, column) !== '') notes.push({ reason: 'no_place', detail: column });
  const accessToken = trimmed(row, 'access_token');
  const affCode = trimmed(row, 'aff_code');
  const created = integer(row, 'created_at');
  return {
    oldId,
    name,
    notes,
    money,
    draft: {
      username,
      username_folded: foldName(username),
      password_hash: passwordOf(row, notes),
      display_name: displayNameOf(row, username, notes),
      role: role >= Role.root ? Role.root : role >= Role.admin ? Role.admin : Role.user,
      status: status === UserStatus.active ? UserStatus.active : UserStatus.banned,
      ...emailFields(row, mapping, notes),
      ...identityFields(row, notes),
      ...(accessToken === '' ? {} : { access_token_hash: mapping.secrets.hash(accessToken), access_token_time: mapping.now }),
      request_count: Math.max(0, integer(row, 'request_count')),
      group,
      ...(affCode === '' ? {} : { aff_code: affCode }),
      aff_count: Math.max(0, integer(row, 'aff_count')),
      aff_quota: quota(row, 'aff_quota'),
      aff_history_quota: quota(row, 'aff_history'),
      inviterRef: integer(row, 'inviter_id') > 0 ? text(row, 'inviter_id') : '',
      DeletedAt: null,
      ...settingFields(row, mapping, notes),
      created_time: created > 0 ? created : mapping.now,
      revision: 1,
    },
  };
}

function passwordOf(row: SourceRow, notes: RowNote[]): string {
  const stored = trimmed(row, 'password');
  const hash = importedPasswordHash(stored);
  if (hash !== null) return hash;
  notes.push({ reason: stored === '' ? 'password_none' : 'password_form' });
  return '';
}

function displayNameOf(row: SourceRow, username: string, notes: RowNote[]): string {
  const given = text(row, 'display_name');
  const tidy = oneLine(given, displayNameLimit).normalize('NFC');
  const usable = displayNameProblem(tidy) === undefined ? tidy : oneLine(username, displayNameLimit);
  if (usable !== given.trim().normalize('NFC')) notes.push({ reason: 'display_name_cut' });
  return usable;
}

function emailFields(row: SourceRow, { verifiesEmail }: UserMapping, notes: RowNote[]): Pick<UserDraft, 'email' | 'email_folded'> {
  const email = line(row, 'email', 255);
  if (email === '') return { email };
  if (verifiesEmail && isAddress(email)) return { email, email_folded: foldEmail(email) };
  notes.push({ reason: 'email_unconfirmed' });
  return { email };
}

function identityFields(row: SourceRow, notes: RowNote[]): Pick<UserDraft, (typeof identities)[number][number]> {
  const fields: Record<(typeof identities)[number][0], string> & Partial<Record<(typeof identities)[number][1], string>> = {
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
  };
  for (const [column, subject] of identities) {
    const id = line(row, column, 255);
    fields[column] = id;
    if (id === '') continue;
    // Older rows hold the login name, which may belong to another person by now.
    if (column === 'github_id' && !/^\d{1,20}$/.test(id)) notes.push({ reason: 'identity_by_name' });
    else fields[subject] = id;
  }
  return fields;
}

/** Keys of the setting that both programs have. */
const sameSettings = ['quota_warning_threshold', 'notification_email', 'webhook_url', 'accept_unset_model_ratio_model'] as const;
const ignoredSettings: ReadonlySet<string> = new Set(['notify_type', 'language', 'webhook_secret', ...sameSettings]);

function settingFields(row: SourceRow, { secrets }: UserMapping, notes: RowNote[]): Pick<UserDraft, 'setting' | 'webhook_secret'> {
  const stored = jsonObject(row, 'setting');
  if (stored === null) {
    if (trimmed(row, 'setting') !== '') notes.push({ reason: 'text_no_json', detail: 'setting' });
    return { setting: '' };
  }
  const setting: Record<string, unknown> = {};
  for (const key of sameSettings) if (isFilled(stored[key])) setting[key] = stored[key];
  if (typeof setting['quota_warning_threshold'] === 'number' && setting['quota_warning_threshold'] <= 0)
    delete setting['quota_warning_threshold'];
  const kind = stored['notify_type'];
  if (kind === 'email' || kind === 'webhook') setting['notify_type'] = kind;
  else if (typeof kind === 'string' && kind !== '') notes.push({ reason: 'setting_part', detail: `notify_type: ${oneLine(kind, 20)}` });
  const { language } = stored;
  if (language === 'zh' || language === 'en') setting['language'] = language;
  else if (typeof language === 'string' && language !== '') setting['language'] = language.startsWith('zh') ? 'zh' : 'en';
  for (const [key, value] of Object.entries(stored)) {
    if (!ignoredSettings.has(key) && isFilled(value)) notes.push({ reason: 'setting_part', detail: oneLine(key, 40) });
  }
  const { webhook_secret: secret } = stored;
  return {
    setting: Object.keys(setting).length === 0 ? '' : JSON.stringify(setting),
    ...(typeof secret === 'string' && secret !== '' ? { webhook_secret: secrets.encrypt(secret, 'webhook_secret') } : {}),
  };
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false && value !== 0;
}
