// Rate limits and budgets that those who manage an organisation set on it and on its parts.
import { z } from 'zod/mini';
import { Budgets } from '#shared/budgets.ts';
import { isShortMemberList } from '#shared/limit-models.ts';
import { RateLimits } from '#shared/rate-limits.ts';
import { ruleCheck } from '#shared/rule-check.ts';

export const limitFields = { rate_limits: z.optional(RateLimits), budgets: z.optional(Budgets) };

const isShort = z.refine(isShortMemberList, ruleCheck('memberListTooLong'));
/** Shorter ones of members, and of invitations, which become members'. */
export const memberLimitFields = { rate_limits: z.optional(RateLimits.check(isShort)), budgets: z.optional(Budgets.check(isShort)) };
