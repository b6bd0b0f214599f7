import { z } from 'zod/mini';
import { UserSort } from '#shared/users.ts';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the list of users. */
export const UsersSearch = z.extend(z.omit(ListSearch, { open: true }), {
  keyword: SearchText,
  group: SearchText,
  /** A figure, the largest first; absent: the newest user first. */
  sort: z.catch(z.optional(UserSort), undefined),
  /** The smallest first. */
  order: z.catch(z.optional(z.literal('up')), undefined),
});
export type UsersSearch = z.infer<typeof UsersSearch>;
