import type { z } from 'zod/mini';
import { ListSearch } from '#pwa/ui/list/list-search.ts';

export const PriceUpdatesSearch = ListSearch;
export type PriceUpdatesSearch = z.infer<typeof PriceUpdatesSearch>;
