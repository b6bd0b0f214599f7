import { z } from 'zod/mini';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

export const tabs = ['members', 'teams', 'usage', 'invites', 'settings'] as const;
export type OrganisationTab = (typeof tabs)[number];
export const usageParts = ['member', 'team', 'token', 'model'] as const;
export type UsageBy = (typeof usageParts)[number];
export const usagePeriods = ['this_month', 'last_month', 'week', 'year', 'custom'] as const;
export type UsagePeriod = (typeof usagePeriods)[number];

/** Search parameters of an organisation's screen. */
export const OrganisationSearch = z.extend(ListSearch, {
  tab: z.catch(z.optional(z.enum(tabs)), undefined),
  keyword: SearchText,
  /** Of the tab of usage. */
  by: z.catch(z.optional(z.enum(usageParts)), undefined),
  period: z.catch(z.optional(z.enum(usagePeriods)), undefined),
  /** Of whom: ids of a member (0: service accounts), of a team. */
  member: SearchInt,
  team: SearchInt,
  /** Unix seconds. */
  from: SearchInt,
  to: SearchInt,
  /** Part of an open panel. */
  part: z.catch(z.optional(z.literal('limits')), undefined),
});
export type OrganisationSearch = z.infer<typeof OrganisationSearch>;
