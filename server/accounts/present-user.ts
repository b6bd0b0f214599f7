import type { User } from '#shared/users.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';

/** An account as responses show it: never with a hash, always with what is leased counted in. */
export function presentUser(record: UserRecord): User {
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
    setting: record.setting,
    created_time: record.created_time,
    access_token_time: record.access_token_hash === undefined ? 0 : (record.access_token_time ?? record.created_time),
    revision: record.revision,
  };
}
