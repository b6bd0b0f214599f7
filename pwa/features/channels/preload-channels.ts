import type { QueryClient } from '@tanstack/react-query';
import { rememberedPageSize } from '#pwa/ui/list/list-search.ts';
import { ChannelsSearch, isSortedById } from './channels-search.ts';
import { channelFiguresQuery, channelPageQuery } from './queries.ts';

/** Requests the first data of the screen while its parts are still loaded and drawn. A search is left to the screen. */
export function preloadChannels(queryClient: QueryClient, address: unknown): void {
  const search = ChannelsSearch.parse(address);
  const { keyword, group, model, status, test, by } = search;
  const isPage = [keyword, group, model, status, test, by].every((part) => part === undefined);
  if (isPage) {
    const page = { p: search.p ?? 1, size: search.size ?? rememberedPageSize(), byId: isSortedById(search) };
    void queryClient.prefetchQuery(channelPageQuery(page));
  }
  void queryClient.prefetchQuery(channelFiguresQuery);
}
