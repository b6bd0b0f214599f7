import { z } from 'zod/mini';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** What the list of users keeps in its address. */
export const UsersSearch = z.extend(z.omit(ListSearch, { open: true }), { keyword: SearchText, group: SearchText });
export type UsersSearch = z.infer<typeof UsersSearch>;
