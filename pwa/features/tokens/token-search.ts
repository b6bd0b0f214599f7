import { z } from 'zod/mini';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** What the token screen keeps in its address. */
export const TokenSearch = z.extend(ListSearch, { keyword: SearchText });
export type TokenSearch = z.infer<typeof TokenSearch>;
