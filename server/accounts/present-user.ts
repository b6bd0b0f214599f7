import { userSettingOf } from '#shared/user-setting.ts';
import type { User } from '#shared/user.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { budgetsOf, rateLimitsOf } from './stored-limits.ts';

/** Presents an account to its owner: without hashes, and with leased quota included. */
export function presentUser(record: UserRecord): User {
  const { access_token_hash: token, access_token_time: madeAt = record.created_time } = record;
  return { ...publicFields(record), setting: record.setting, access_token_time: token === undefined ? 0 : madeAt };
}

/** Same for others, without the webhook URL, which is often a secret. */
export function presentToOthers(record: UserRecord): User {
  const { webhook_url: url, ...setting } = userSettingOf(record);
  return { ...publicFields(record), setting: url === undefined ? record.setting : JSON.stringify(setting) };
}

function publicFields(record: UserRecord): Omit<User, 'setting' | 'access_token_time'> {
  return {
    id: record.id,
    username: record.username,
    password: '',
    display_name: record.display_name,
    role: record.role,
    status: record.status,
    email: record.email,
    github_id: record.github_id,
    oidc_id: record.oidc_id,
    wechat_id: record.wechat_id,
    telegram_id: record.telegram_id,
    linux_do_id: record.linux_do_id,
    quota: balanceOf(record),
    used_quota: record.used_quota,
    request_count: record.request_count,
    full_mark: record.full_mark,
    group: record.group,
    aff_code: record.aff_code ?? '',
    aff_count: record.aff_count,
    aff_quota: record.aff_quota,
    aff_history_quota: record.aff_history_quota,
    inviter_id: record.inviter_id,
    DeletedAt: record.DeletedAt,
    rate_limits: rateLimitsOf(record),
    budgets: budgetsOf(record),
    created_time: record.created_time,
    revision: record.revision,
  };
}
