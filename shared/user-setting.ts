import { z } from 'zod';
import type { User } from '#shared/user.ts';

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
