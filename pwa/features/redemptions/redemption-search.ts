import { z } from 'zod/mini';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the list of codes. */
export const RedemptionSearch = z.extend(ListSearch, { keyword: SearchText, status: SearchInt });
export type RedemptionSearch = z.infer<typeof RedemptionSearch>;
