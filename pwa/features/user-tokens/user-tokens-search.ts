import { z } from 'zod/mini';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the tokens of users. Keys are not among them: addresses are stored in histories and logs. */
export const UserTokensSearch = z.extend(ListSearch, {
  /** Id or username of the owner. */
  user: SearchText,
  keyword: SearchText,
  /** Where the page begins. */
  after: SearchText,
});
export type UserTokensSearch = z.infer<typeof UserTokensSearch>;

export const noFilters = { user: undefined, keyword: undefined } as const;
