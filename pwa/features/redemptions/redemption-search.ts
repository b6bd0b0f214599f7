import type { z } from 'zod';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

/** What the list of codes keeps in its address. Addresses are read by the sign-in, too: the contracts stay out of here. */
export const RedemptionSearch = ListSearch.extend({ keyword: SearchText, status: SearchInt });
export type RedemptionSearch = z.infer<typeof RedemptionSearch>;
