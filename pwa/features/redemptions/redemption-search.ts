import { z } from 'zod/mini';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

/** What the list of codes keeps in its address. */
export const RedemptionSearch = z.extend(ListSearch, { keyword: SearchText, status: SearchInt });
export type RedemptionSearch = z.infer<typeof RedemptionSearch>;
