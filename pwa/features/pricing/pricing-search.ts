import { z } from 'zod/mini';
import { SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the price list. */
export const PricingSearch = z.object({
  keyword: SearchText,
  billing: z.catch(z.optional(z.enum(['usage', 'call'])), undefined),
  /** Only what the viewed group may use. */
  available: z.catch(z.optional(z.literal('yes')), undefined),
  /** The group that prices are looked at from. */
  group: SearchText,
  open: SearchText,
});
export type PricingSearch = z.infer<typeof PricingSearch>;
