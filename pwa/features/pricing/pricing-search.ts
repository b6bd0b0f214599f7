import { z } from 'zod';
import { SearchText } from '#pwa/ui/list/list-search.ts';

/** What the price list keeps in its address. */
export const PricingSearch = z.object({
  keyword: SearchText,
  billing: z.enum(['usage', 'call']).optional().catch(undefined),
  /** Only what the viewed group may use. */
  available: z.literal('yes').optional().catch(undefined),
  /** The group that prices are looked at from. */
  group: SearchText,
  open: SearchText,
});
export type PricingSearch = z.infer<typeof PricingSearch>;
