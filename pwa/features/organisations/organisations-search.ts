import { z } from 'zod/mini';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the list of organisations. `open`: `new`, or the one that an administrator of the site manages. */
export const OrganisationsSearch = z.extend(ListSearch, {
  /** For administrators of the site: all organisations unless it is `mine`. */
  show: z.catch(z.optional(z.enum(['mine', 'all'])), undefined),
  keyword: SearchText,
});
export type OrganisationsSearch = z.infer<typeof OrganisationsSearch>;
