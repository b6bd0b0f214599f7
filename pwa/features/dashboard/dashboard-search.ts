// What the dashboard keeps in its address.
import { z } from 'zod';
import { SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

export const spans = ['day', 'week', 'month', 'custom'] as const;
export type DashboardSpan = (typeof spans)[number];
export const steps = ['hour', 'day', 'week'] as const;
export type DashboardStep = (typeof steps)[number];
export const splits = ['model', 'token', 'channel', 'user'] as const;
export type DashboardSplit = (typeof splits)[number];

export const DashboardSearch = z.object({
  span: z.enum(spans).optional().catch(undefined),
  /** Of a span of one's own, unix seconds. */
  from: SearchInt,
  to: SearchInt,
  step: z.enum(steps).optional().catch(undefined),
  by: z.enum(splits).optional().catch(undefined),
  /** For administrators: of one user. */
  user: SearchText,
  /** For administrators: everybody's calls unless this is set. */
  own: z.boolean().optional().catch(undefined),
  /** The time before stands beside this one unless it is false. */
  compare: z.boolean().optional().catch(undefined),
});
export type DashboardSearch = z.infer<typeof DashboardSearch>;
