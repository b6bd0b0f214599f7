// Search parameters of the dashboard.
import { z } from 'zod/mini';
import { SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

export const spans = ['day', 'week', 'month', 'this_month', 'last_month', 'custom'] as const;
export type DashboardSpan = (typeof spans)[number];
export const steps = ['hour', 'day', 'week'] as const;
export type DashboardStep = (typeof steps)[number];
export const splits = ['model', 'token', 'channel', 'user'] as const;
export type DashboardSplit = (typeof splits)[number];

export const DashboardSearch = z.object({
  span: z.catch(z.optional(z.enum(spans)), undefined),
  /** Of a span of one's own, unix seconds. */
  from: SearchInt,
  to: SearchInt,
  step: z.catch(z.optional(z.enum(steps)), undefined),
  by: z.catch(z.optional(z.enum(splits)), undefined),
  /** For administrators: of one user. */
  user: SearchText,
  /** For administrators: everybody's calls unless this is set. */
  own: z.catch(z.optional(z.boolean()), undefined),
  /** The previous period is shown unless it is false. */
  compare: z.catch(z.optional(z.boolean()), undefined),
});
export type DashboardSearch = z.infer<typeof DashboardSearch>;
