import type { z } from 'zod';
import { RedemptionStatus } from '#shared/redemptions.ts';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

const statuses: readonly number[] = Object.values(RedemptionStatus);

/** What the list of codes keeps in its address. */
export const RedemptionSearch = ListSearch.extend({
  keyword: SearchText,
  status: SearchInt.transform((status) => (status !== undefined && statuses.includes(status) ? status : undefined)),
});
export type RedemptionSearch = z.infer<typeof RedemptionSearch>;
