// Account actions apart from name and password. Separate from `account.ts`, which every screen needs.
import { z } from 'zod/mini';
import { GroupChoice } from '#shared/account.ts';
import { endpoint } from '#shared/contract.ts';
import { QuotaInput, User } from '#shared/user.ts';

/**
 * Own notices, as clients save them: all at once. Absent fields stay as they are; `notification_email: ""` means the
 * account's own address.
 */
export const UserSettingEdit = z.object({
  notify_type: z.optional(z.string()),
  /** Quota units; the low-water mark of the balance. */
  quota_warning_threshold: z.optional(z.number()),
  webhook_url: z.optional(z.string().check(z.maxLength(2000))),
  /** Empty and absent: stays as it is, unless the webhook goes to another origin. */
  webhook_secret: z.optional(z.string().check(z.maxLength(200))),
  remove_webhook_secret: z.optional(z.boolean()),
  notification_email: z.optional(z.string().check(z.maxLength(200))),
  accept_unset_model_ratio_model: z.optional(z.boolean()),
  /** Of administrators: whether alerts about channels are sent to them. */
  channel_alerts: z.optional(z.boolean()),
  revision: z.optional(z.int()),
});
export type UserSettingEdit = z.infer<typeof UserSettingEdit>;

/** A transfer that is repeated under the same name is made once. */
export const TransferInput = z.object({
  /** Quota units. */
  quota: QuotaInput,
  ref: z.optional(z.string().check(z.regex(/^[\w-]{8,64}$/))),
});
export type TransferInput = z.infer<typeof TransferInput>;

export const accountActionsApi = {
  /** For a signed-in user too, as a visitor sees the groups. */
  visitorGroups: endpoint('GET', '/api/user/groups', {
    access: 'public',
    reply: z.record(z.string(), GroupChoice),
    summary: 'Groups that are offered to everybody',
  }),
  /** Returns the account as it is afterwards. */
  saveSetting: endpoint('PUT', '/api/user/setting', {
    access: 'user',
    audit: { kind: 'user', action: 'changed' },
    body: UserSettingEdit,
    reply: User,
    summary: 'Change own notices',
  }),
  /** Makes a new token, which is shown this once; the former one stops working. */
  newAccessToken: endpoint('GET', '/api/user/token', {
    access: 'user',
    audit: { kind: 'user', action: 'access_token_changed' },
    changesState: true,
    reply: z.string(),
    summary: 'Make a new system access token',
  }),
  revokeAccessToken: endpoint('DELETE', '/api/user/token', {
    access: 'user',
    audit: { kind: 'user', action: 'access_token_changed' },
    summary: 'Revoke the system access token',
  }),
  inviteCode: endpoint('GET', '/api/user/aff', { access: 'user', reply: z.string(), summary: 'Own invite code' }),
  /** Returns the account as it is afterwards. */
  transfer: endpoint('POST', '/api/user/aff_transfer', {
    access: 'user',
    audit: { exempt: 'books' },
    body: TransferInput,
    reply: User,
    summary: 'Move invite earnings into the balance',
  }),
};
