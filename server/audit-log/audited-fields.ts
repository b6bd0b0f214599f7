// What the audit log stores of each field of a record. The types require a decision for every field that is added.
import type { AuditKind } from '#shared/audit-spec.ts';
import type { Records } from '#server/db/all-records.ts';
import type { AuditedName } from '#server/db/records/audit-entry.ts';

/**
 * `value`: the value. `secret`: only that it was set, replaced or removed. `list`: added and removed names of a comma list; `lines`: of lines. `map`: entries
 * of a JSON object. `names`: names of entries of a JSON object, whose values may be secret. `address`: a URL without credentials and query. `reason`: why a
 * channel has its status. `file`: name of the file that manages it. `application`: name and target of an application. `none`: figures, derived values, and what another field says.
 */
export type FieldMode = 'value' | 'secret' | 'list' | 'lines' | 'map' | 'names' | 'address' | 'reason' | 'file' | 'application' | 'none';

type Modes<T> = { readonly [Field in Exclude<keyof T, 'id' | 'revision' | 'audited'>]-?: FieldMode };

const money = { leases: 'none', applied: 'none', fencing_tokens: 'none', marks: 'none', full_mark: 'none' } as const;

export const auditedFields: { readonly [Name in AuditedName]: Modes<Records[Name]> } = {
  users: {
    ...money,
    username: 'value',
    username_folded: 'none',
    password_hash: 'secret',
    display_name: 'value',
    role: 'value',
    status: 'value',
    email: 'value',
    github_id: 'value',
    oidc_id: 'value',
    wechat_id: 'value',
    telegram_id: 'value',
    linux_do_id: 'value',
    github_subject: 'none',
    oidc_subject: 'none',
    wechat_subject: 'none',
    telegram_subject: 'none',
    linux_do_subject: 'none',
    email_folded: 'none',
    access_token_hash: 'secret',
    access_token_time: 'none',
    quota: 'none',
    used_quota: 'none',
    request_count: 'none',
    group: 'value',
    rate_limits: 'value',
    budgets: 'value',
    aff_code: 'none',
    aff_count: 'none',
    aff_quota: 'none',
    aff_history_quota: 'none',
    transfer_ref: 'none',
    transfer_amount: 'none',
    transfer_at: 'none',
    transfers: 'none',
    inviter_id: 'value',
    DeletedAt: 'value',
    setting: 'map',
    webhook_secret: 'secret',
    warned_at: 'none',
    warned_sum: 'none',
    warned_full: 'none',
    invitation_id: 'value',
    created_time: 'none',
    welcome: 'none',
    welcome_at: 'none',
  },
  tokens: {
    ...money,
    user_id: 'value',
    name: 'value',
    key_hash: 'secret',
    key_cipher: 'none',
    old_key_hash: 'secret',
    old_key_until: 'value',
    old_key_ending: 'none',
    old_key_hash_2: 'none',
    old_key_until_2: 'none',
    old_key_ending_2: 'none',
    old_key_hash_3: 'none',
    old_key_until_3: 'none',
    old_key_ending_3: 'none',
    old_key_hash_4: 'none',
    old_key_until_4: 'none',
    old_key_ending_4: 'none',
    old_key_hash_5: 'none',
    old_key_until_5: 'none',
    old_key_ending_5: 'none',
    status: 'value',
    created_time: 'none',
    accessed_time: 'none',
    expired_time: 'value',
    remain_quota: 'none',
    unlimited_quota: 'value',
    used_quota: 'none',
    charged_quota: 'none',
    model_limits_enabled: 'value',
    model_limits: 'list',
    allow_ips: 'lines',
    group: 'value',
    session_budget: 'value',
    rate_limits: 'value',
    budgets: 'value',
    auto_groups: 'list',
    cross_group_retry: 'value',
    managed: 'file',
    managed_by: 'none',
    key_ending: 'none',
    ending: 'none',
    blocked_reason: 'value',
    blocked_time: 'none',
    blocked_by: 'none',
    disabled_before_block: 'none',
    held: 'list',
    application: 'application',
    app_of: 'none',
    app_ref: 'none',
    moved_to: 'value',
    moving_at: 'none',
    moving_by: 'none',
    moved_from: 'value',
    deleted_by: 'none',
    DeletedAt: 'value',
  },
  channels: {
    type: 'value',
    name: 'value',
    remark: 'value',
    key_cipher: 'none',
    key_hash: 'secret',
    openai_organization: 'value',
    test_model: 'value',
    status: 'value',
    weight: 'value',
    priority: 'value',
    created_time: 'none',
    test_time: 'none',
    response_time: 'none',
    test_error: 'none',
    test_reason: 'none',
    passed_at: 'none',
    tested_model: 'none',
    base_url: 'address',
    other: 'value',
    balance: 'none',
    balance_updated_time: 'none',
    balance_full: 'none',
    balance_error: 'none',
    balance_reason: 'none',
    models: 'list',
    group: 'list',
    used_quota: 'none',
    model_mapping: 'map',
    status_code_mapping: 'map',
    setting: 'map',
    param_override: 'names',
    other_info: 'reason',
    renewal: 'none',
    auto_ban: 'value',
    tag: 'value',
    max_input_tokens: 'value',
    managed: 'file',
  },
  redemptions: {
    user_id: 'none',
    name: 'value',
    quota: 'value',
    key_hash: 'none',
    key_cipher: 'none',
    status: 'value',
    created_time: 'none',
    expired_time: 'value',
    redeemed_time: 'none',
    used_user_id: 'value',
    claims: 'none',
    credit_due_at: 'none',
    log_id: 'none',
    DeletedAt: 'value',
    listed: 'none',
  },
};

/** Entries of JSON objects (`map`) whose values are stored; those of all others are secret. Fields that are absent here have no secrets. */
export const plainEntries: Readonly<Record<string, ReadonlySet<string>>> = {
  'users.setting': new Set(['notify_type', 'quota_warning_threshold', 'accept_unset_model_ratio_model', 'channel_alerts', 'language']),
  'channels.setting': new Set([
    'force_format',
    'thinking_to_content',
    'allow_surcharges',
    'keep_dots',
    'skip_automatic_tests',
    'on_client_gone',
    'formats',
  ]),
};

export const auditedKinds: Readonly<Record<AuditedName, AuditKind>> = {
  users: 'user',
  tokens: 'token',
  channels: 'channel',
  redemptions: 'code',
};

export function isAudited(name: string): name is AuditedName {
  return Object.hasOwn(auditedFields, name);
}

export function modeOf(name: AuditedName, field: string): FieldMode {
  const mode: unknown = Object.hasOwn(auditedFields[name], field) ? Reflect.get(auditedFields[name], field) : 'none';
  return isMode(mode) ? mode : 'none';
}

function isMode(mode: unknown): mode is FieldMode {
  return typeof mode === 'string';
}
