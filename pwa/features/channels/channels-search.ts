import { z } from 'zod/mini';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

const storageKey = 'id-sort';

/** Search parameters of the channel list. */
export const ChannelsSearch = z.extend(z.omit(ListSearch, { open: true }), {
  keyword: SearchText,
  group: SearchText,
  model: SearchText,
  status: z.catch(z.optional(z.enum(['on', 'off', 'auto', 'failing'])), undefined),
  /** Only those whose last test failed. */
  test: z.catch(z.optional(z.literal('failed')), undefined),
  sort: z.catch(z.optional(z.enum(['id', 'priority'])), undefined),
  /** Channels stand under their tags. */
  by: z.catch(z.optional(z.literal('tag')), undefined),
  /** Where to go when the channel in the editor is saved or closed. */
  next: z.catch(z.optional(z.literal('first-call')), undefined),
});
export type ChannelsSearch = z.infer<typeof ChannelsSearch>;

/** By id, newest first, instead of by priority: as the address says, else as it was chosen last on this device. */
export function isSortedById({ sort }: ChannelsSearch): boolean {
  return sort === undefined ? localStorage.getItem(storageKey) === 'true' : sort === 'id';
}

export function rememberSort(byId: boolean): void {
  localStorage.setItem(storageKey, String(byId));
}
