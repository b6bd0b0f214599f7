import type { z } from 'zod';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** What the token screen keeps in its address. */
export const TokenSearch = ListSearch.extend({ keyword: SearchText });
export type TokenSearch = z.infer<typeof TokenSearch>;
