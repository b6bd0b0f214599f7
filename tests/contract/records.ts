// Whole records with only what a storage test is about spelled out.
import type { LogRecord } from '#server/db/records/log.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

export function userRecord(fields: Partial<UserRecord> & { id: number }): UserRecord {
  return {
    username: `user${fields.id}`,
    password_hash: '',
    display_name: '',
    role: 1,
    status: 1,
    email: '',
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
    quota: 0,
    used_quota: 0,
    request_count: 0,
    group: 'default',
    aff_count: 0,
    aff_quota: 0,
    aff_history_quota: 0,
    inviter_id: 0,
    DeletedAt: null,
    setting: '',
    created_time: 0,
    revision: 1,
    leases: {},
    applied: {},
    marks: {},
    full_mark: 0,
    ...fields,
  };
}

export function tokenRecord(fields: Partial<TokenRecord> & { id: number }): TokenRecord {
  return {
    user_id: 1,
    name: 'token',
    key_hash: `hash${fields.id}`,
    key_cipher: '',
    status: 1,
    created_time: 0,
    accessed_time: 0,
    expired_time: -1,
    remain_quota: 0,
    unlimited_quota: false,
    used_quota: 0,
    model_limits_enabled: false,
    model_limits: '',
    allow_ips: '',
    group: '',
    DeletedAt: null,
    revision: 1,
    leases: {},
    applied: {},
    marks: {},
    full_mark: 0,
    ...fields,
  };
}

export function logRecord(fields: Partial<LogRecord> & { id: number }): LogRecord {
  return {
    user_id: 1,
    created_at: 1_700_000_000,
    type: 2,
    content: '',
    username: 'user1',
    token_name: 'token',
    model_name: 'model',
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: 1,
    token_id: 1,
    group: 'default',
    other: null,
    ...fields,
  };
}
