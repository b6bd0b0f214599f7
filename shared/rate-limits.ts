// Rate limits: of a token or a user, stored in its record; of groups, models and the whole site, in the setting `SiteRateLimits`. A call must fit all of
// them.
import { z } from 'zod/mini';
import { countedBy, isShortList, LimitedGroups, LimitedModels } from '#shared/limit-models.ts';
import { ruleCheck } from '#shared/rule-check.ts';

export const rateWindows = ['minute', 'hour', 'day'] as const;
export type RateWindow = (typeof rateWindows)[number];
/** Limits of what arrives within a window, and of single calls or those that run. */
export const windowMeters = ['requests', 'tokens'] as const;
export const callMeters = ['parallel', 'input_tokens', 'output_tokens'] as const;
/** Limits of one record or of the site. */
export const mostRateLimits = 20;
const largest = 1_000_000_000_000;

const Amount = z.int().check(z.minimum(1), z.maximum(largest));
const windowFields = {
  /** `tokens`: input and output; reserved at the estimate when a call begins, settled by its usage. */
  meter: z.enum(windowMeters),
  per: z.enum(rateWindows),
  amount: Amount,
  models: z.optional(LimitedModels),
};
const callFields = {
  /** Calls that run at the same time; tokens of the largest prompt; tokens of the longest answer. */
  meter: z.enum(callMeters),
  amount: Amount,
  models: z.optional(LimitedModels),
};
const siteFields = {
  groups: z.optional(LimitedGroups),
  counted: z.enum(countedBy),
};

export const RateLimit = z.union([z.strictObject(windowFields), z.strictObject(callFields)]);
export type RateLimit = z.infer<typeof RateLimit>;
export const RateLimits = z
  .array(RateLimit)
  .check(z.maxLength(mostRateLimits), z.refine(areDistinct, ruleCheck('limitTwice')), z.refine(isShortList, ruleCheck('listTooLong')));

export const SiteRateLimit = z.union([
  z.strictObject({ ...windowFields, ...siteFields }),
  z.strictObject({ ...callFields, ...siteFields }),
]);
export type SiteRateLimit = z.infer<typeof SiteRateLimit>;
export const SiteRateLimits = z.array(SiteRateLimit).check(z.maxLength(100), z.refine(areDistinct, ruleCheck('limitTwice')));

/** Identity of a limit among those of its record: a new amount counts on from what was used. */
export function rateLimitKey(limit: RateLimit | SiteRateLimit): string {
  const scope = 'counted' in limit ? [limit.counted, ...(limit.groups ?? ['*']).toSorted()] : [];
  return JSON.stringify([limit.meter, 'per' in limit ? limit.per : '', (limit.models ?? ['*']).toSorted(), scope]);
}

function areDistinct(limits: readonly (RateLimit | SiteRateLimit)[]): boolean {
  return new Set(limits.map(rateLimitKey)).size === limits.length;
}

/** Whose calls a limit counts. `member`: of a member of an organisation; `team`: of a team together. */
export const limitScopes = ['token', 'member', 'team', 'user', 'site'] as const;
export type LimitScope = (typeof limitScopes)[number];
