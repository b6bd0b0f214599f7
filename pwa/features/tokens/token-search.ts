import { z } from 'zod/mini';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the token screen. */
export const TokenSearch = z.extend(ListSearch, { keyword: SearchText });
export type TokenSearch = z.infer<typeof TokenSearch>;
