import { z } from 'zod';
import { ListSearch, SearchText } from '#pwa/ui/list/list-search.ts';

const storageKey = 'id-sort';

/** What the channel list keeps in its address. */
export const ChannelsSearch = ListSearch.omit({ open: true }).extend({
  keyword: SearchText,
  group: SearchText,
  model: SearchText,
  status: z.enum(['on', 'off', 'auto']).optional().catch(undefined),
  sort: z.enum(['id', 'priority']).optional().catch(undefined),
  /** Channels stand under their tags. */
  by: z.literal('tag').optional().catch(undefined),
  /** Where to go when the channel in the editor is saved or closed. */
  next: z.literal('first-call').optional().catch(undefined),
});
export type ChannelsSearch = z.infer<typeof ChannelsSearch>;

/** By id, newest first, instead of by priority: as the address says, else as it was chosen last on this device. */
export function isSortedById({ sort }: ChannelsSearch): boolean {
  return sort === undefined ? localStorage.getItem(storageKey) === 'true' : sort === 'id';
}

export function rememberSort(byId: boolean): void {
  localStorage.setItem(storageKey, String(byId));
}
