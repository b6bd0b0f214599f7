import { z } from 'zod';
import type { User } from '#shared/users.ts';

const Setting = z.looseObject({ quota_warning_threshold: z.number().positive().optional() });

/** The balance below which the owner wants to be told, when he set one: the low-water mark of his level. */
export function warningThreshold(user: Pick<User, 'setting'>): number | undefined {
  try {
    const parsed = Setting.safeParse(JSON.parse(user.setting));
    return parsed.success ? parsed.data.quota_warning_threshold : undefined;
  } catch {
    return undefined;
  }
}
