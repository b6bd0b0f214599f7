import { z } from 'zod/mini';

const Setting = z.object({ accept_unset_model_ratio_model: z.literal(true) });

/** Whether this user, by his own settings, calls models without a price as well. */
export function acceptsUnpriced(user: { setting: string } | null): boolean {
  try {
    return user !== null && Setting.safeParse(JSON.parse(user.setting)).success;
  } catch {
    return false;
  }
}
