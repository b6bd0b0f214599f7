// An account, as everybody's answers show it.
import { z } from 'zod/mini';
import { Budgets } from '#shared/budgets.ts';
import { RateLimits } from '#shared/rate-limits.ts';

export const UserStatus = { active: 1, banned: 2, locked: 3 } as const;

export const usernameLimit = 12;
export const displayNameLimit = 20;
export const passwordLimits = { min: 8, max: 20 } as const;
/** Characters of the reason that an administrator gives for a new balance. */
export const balanceReasonLimit = 200;

/** The largest amount of quota that any field takes: 2^53 − 1 units. */
export const quotaLimit = Number.MAX_SAFE_INTEGER;
/** Quota as an amount that a user enters: a whole number of units, never negative. */
export const QuotaInput = z.int().check(z.minimum(0), z.maximum(quotaLimit));

/** An account as responses show it. Secrets are never in it; `password` stays, empty, for old clients. */
export const User = z.object({
  id: z.int(),
  username: z.string(),
  password: z.literal(''),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  /** Balance in quota units, leases included. */
  quota: z.int(),
  used_quota: z.int(),
  request_count: z.int(),
  /** Balance right after the last credit. */
  full_mark: z.int(),
  group: z.string(),
  aff_code: z.string(),
  aff_count: z.int(),
  aff_quota: z.int(),
  aff_history_quota: z.int(),
  inviter_id: z.int(),
  /** For administrators only; '': none, or the account is gone. */
  inviter_name: z.optional(z.string()),
  DeletedAt: z.nullable(z.string()),
  setting: z.string(),
  /** Of all calls of the account, set by administrators. Absent from servers that know none. */
  rate_limits: z.optional(RateLimits),
  budgets: z.optional(Budgets),
  created_time: z.int(),
  /** Unix seconds when the system access token was made; 0: there is none. */
  access_token_time: z.optional(z.int()),
  revision: z.int(),
});
export type User = z.infer<typeof User>;
