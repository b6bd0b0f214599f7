import type { z } from 'zod';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** What the list of users keeps in its address. */
export const UsersSearch = ListSearch.omit({ open: true }).extend({ keyword: SearchText, group: SearchText });
export type UsersSearch = z.infer<typeof UsersSearch>;
