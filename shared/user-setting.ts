import { z } from 'zod/mini';
import { Role } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';

/** What `User.setting` holds as JSON text; keys of other versions are passed on. */
export const UserSetting = z.looseObject({
  notify_type: z.optional(z.string()),
  quota_warning_threshold: z.optional(z.number().check(z.positive())),
  notification_email: z.optional(z.string()),
  webhook_url: z.optional(z.string()),
  /** The secret itself is never sent. */
  has_webhook_secret: z.optional(z.boolean()),
  accept_unset_model_ratio_model: z.optional(z.boolean()),
  /** Administrators only. Absent: `wantsChannelAlerts` says. */
  channel_alerts: z.optional(z.boolean()),
  /** Of the client that saved it: notices are written in it. */
  language: z.optional(z.enum(['zh', 'en'])),
});
export type UserSetting = z.infer<typeof UserSetting>;

/** Returns whether an account gets alerts about channels: administrators who opted in, and the super administrator unless opted out. */
export function wantsChannelAlerts(user: Pick<User, 'setting' | 'role'>): boolean {
  return user.role >= Role.admin && (userSettingOf(user).channel_alerts ?? user.role >= Role.root);
}

/** The setting of a user; empty where there is none, or none that can be read. */
export function userSettingOf({ setting }: Pick<User, 'setting'>): UserSetting {
  try {
    const parsed = UserSetting.safeParse(JSON.parse(setting));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}
