import { z } from 'zod';
import { endpoint } from '#shared/contract.ts';
import { QuotaInput, User } from '#shared/users.ts';

/** Own profile or password. Empty and absent fields stay as they are. */
export const SelfEdit = z.object({
  username: z.string().optional(),
  display_name: z.string().optional(),
  password: z.string().optional(),
  original_password: z.string().optional(),
  revision: z.int().optional(),
});
export type SelfEdit = z.infer<typeof SelfEdit>;

/**
 * Own notices, as clients save them: all at once. Absent fields stay as they are; `notification_email: ""` means the
 * account's own address.
 */
export const UserSettingEdit = z.object({
  notify_type: z.string().optional(),
  /** Quota units; the low-water mark of the balance. */
  quota_warning_threshold: z.number().optional(),
  webhook_url: z.string().max(2000).optional(),
  /** Empty and absent: stays as it is, unless the webhook goes to another origin. */
  webhook_secret: z.string().max(200).optional(),
  remove_webhook_secret: z.boolean().optional(),
  notification_email: z.string().max(200).optional(),
  accept_unset_model_ratio_model: z.boolean().optional(),
  revision: z.int().optional(),
});
export type UserSettingEdit = z.infer<typeof UserSettingEdit>;

/** What `User.setting` holds as JSON text; keys of other versions are passed on. */
export const UserSetting = z.looseObject({
  notify_type: z.string().optional(),
  quota_warning_threshold: z.number().positive().optional(),
  notification_email: z.string().optional(),
  webhook_url: z.string().optional(),
  /** The secret itself is never sent. */
  has_webhook_secret: z.boolean().optional(),
  accept_unset_model_ratio_model: z.boolean().optional(),
  /** Of the client that saved it: notices are written in it. */
  language: z.enum(['zh', 'en']).optional(),
});
export type UserSetting = z.infer<typeof UserSetting>;

/** The setting of a user; empty where there is none, or none that can be read. */
export function userSettingOf({ setting }: Pick<User, 'setting'>): UserSetting {
  try {
    const parsed = UserSetting.safeParse(JSON.parse(setting));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}

export const GroupChoice = z.object({ ratio: z.number(), desc: z.string() });

/** A transfer that is repeated under the same name is made once. */
export const TransferInput = z.object({
  /** Quota units. */
  quota: QuotaInput,
  ref: z
    .string()
    .regex(/^[\w-]{8,64}$/)
    .optional(),
});
export type TransferInput = z.infer<typeof TransferInput>;

export const accountApi = {
  self: endpoint('GET', '/api/user/self', { access: 'user', reply: User, summary: 'Own account' }),
  edit: endpoint('PUT', '/api/user/self', { access: 'user', body: SelfEdit, summary: 'Change own profile or password' }),
  /** Returns the account as it is afterwards. */
  saveSetting: endpoint('PUT', '/api/user/setting', {
    access: 'user',
    body: UserSettingEdit,
    reply: User,
    summary: 'Change own notices',
  }),
  remove: endpoint('DELETE', '/api/user/self', { access: 'user', summary: 'Delete own account' }),
  /** Makes a new token, which is shown this once; the former one stops working. */
  newAccessToken: endpoint('GET', '/api/user/token', {
    access: 'user',
    changesState: true,
    reply: z.string(),
    summary: 'Make a new system access token',
  }),
  revokeAccessToken: endpoint('DELETE', '/api/user/token', { access: 'user', summary: 'Revoke the system access token' }),
  inviteCode: endpoint('GET', '/api/user/aff', { access: 'user', reply: z.string(), summary: 'Own invite code' }),
  /** Answers the account as it is afterwards. */
  transfer: endpoint('POST', '/api/user/aff_transfer', {
    access: 'user',
    body: TransferInput,
    reply: User,
    summary: 'Move invite earnings into the balance',
  }),
  models: endpoint('GET', '/api/user/models', {
    access: 'user',
    reply: z.array(z.string()),
    summary: 'Names of the models that the caller may use',
  }),
  groups: endpoint('GET', '/api/user/self/groups', {
    access: 'user',
    reply: z.record(z.string(), GroupChoice),
    summary: 'Groups that the caller may choose for a token',
  }),
};
