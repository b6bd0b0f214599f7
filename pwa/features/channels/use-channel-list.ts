import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Channel } from '#shared/channels.ts';
import { type FoldedTags, useFoldedTags, withoutFolded } from './folded-tags.ts';
import { statusName } from './channel-summary.ts';
import type { ListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { type ChannelsSearch, isSortedById, rememberSort } from './channels-search.ts';
import { channelPageQuery, channelSearchQuery, channelTagsQuery, searchLimit } from './queries.ts';
import { useFailingIds, useStatusCounts } from './status-counts.ts';

interface ChannelListOptions {
  search: ChannelsSearch;
  onSearch: (change: Partial<ChannelsSearch>) => void;
  screen: ListScreen;
}

const noFilters: Partial<ChannelsSearch> = { keyword: undefined, group: undefined, model: undefined, status: undefined, test: undefined };

/** The list of the address, and the ways to change it. */
export function useChannelList({ search, onSearch, screen }: ChannelListOptions) {
  const folded = useFoldedTags();
  const client = useQueryClient();
  const { query, rows, matching, total, isCut, filtersSet, tags, counts, failing } = useChannelRows(search, screen, folded);
  const onFilter = (change: Partial<ChannelsSearch>): void => onSearch({ ...change, p: undefined });
  const onSort = (by: string): void => {
    rememberSort(by === 'id');
    onFilter({ sort: by === 'id' ? 'id' : 'priority' });
  };
  return {
    /** As `DataList` takes it. */
    listed: {
      query,
      rows,
      sort: { by: isSortedById(search) ? 'id' : 'priority', isDescending: true, onSort },
      filtersSet,
      onClearFilters: () => onFilter(noFilters),
      ...(total === 0 ? {} : { pager: screen.pager(total, isCut, rows?.length) }),
    },
    /** Totals of each tag, undefined where channels do not stand under their tags; which are folded; whether all channels are listed. */
    byTag: { tags, folded, isWhole: search.status === undefined && search.test === undefined },
    /** What each status would show. */
    counts,
    /** How many fail now, of all channels. */
    failing: failing.size,
    onFilter,
    /** How many match, those under folded tags too. */
    count: matching?.length ?? total,
    /** Of all that match, by pages from 1. */
    readPage: async (p: number, size: number) =>
      matching?.slice((p - 1) * size, p * size) ??
      (await client.fetchQuery(channelPageQuery({ p, size, byId: isSortedById(search) }))).channels,
    isEmpty: rows?.length === 0 && filtersSet === 0,
  };
}

/** A status is not something the server searches by. */
function useChannelRows(search: ChannelsSearch, { page, size }: Pick<ListScreen, 'page' | 'size'>, folded: FoldedTags) {
  const byId = isSortedById(search);
  const filter = { keyword: search.keyword ?? '', group: search.group ?? '', model: search.model ?? '' };
  const filtersSet = [...Object.values(filter), search.status ?? '', search.test ?? ''].filter((value) => value !== '').length;
  const byTag = search.by === 'tag';
  // Under their tags all are needed, as for a search.
  const isSearch = filtersSet > 0 || byTag;
  const paged = useQuery({ ...channelPageQuery({ p: page, size, byId }), enabled: !isSearch });
  const found = useQuery({ ...channelSearchQuery({ ...filter, byId }), enabled: isSearch });
  const query = isSearch ? found : paged;
  const totals = useQuery({ ...channelTagsQuery(filter), enabled: byTag });
  const tags = useMemo(() => (byTag ? new Map(totals.data?.map((tag) => [tag.tag, tag])) : undefined), [byTag, totals.data]);
  const isNarrowed = Object.values(filter).some((value) => value !== '');
  const counts = useStatusCounts({ isNarrowed, found: found.data?.channels, tags: byTag ? totals.data : undefined });
  const channels = query.data?.channels;
  const { status, test } = search;
  const failing = useFailingIds();
  const matching = useMemo(() => {
    const has = ({ id, status: stored }: Channel) => (status === 'failing' ? failing.has(id) : statusName(stored) === status);
    const wanted = status === undefined ? channels : channels?.filter(has);
    const tested = test === undefined ? wanted : wanted?.filter((channel) => channel.test_error !== '');
    return byTag ? tested?.toSorted((one, other) => compareTags(one.tag, other.tag)) : tested;
  }, [channels, status, failing, test, byTag]);
  const unfolded = byTag && matching !== undefined ? withoutFolded(matching, folded) : matching;
  const rows = isSearch ? unfolded?.slice((page - 1) * size, page * size) : channels;
  return {
    query,
    rows,
    /** All of them; undefined where the server pages. */
    matching: isSearch ? matching : undefined,
    total: isSearch ? (unfolded?.length ?? 0) : (query.data?.total ?? 0),
    isCut: isSearch ? (channels?.length ?? 0) >= searchLimit : query.data?.isLowerBound === true,
    filtersSet,
    tags,
    counts,
    failing,
  };
}

/** By name; those without a tag come last. */
function compareTags(one: string, other: string): number {
  if (one === '' || other === '') return Number(one === '') - Number(other === '');
  return one < other ? -1 : Number(one > other);
}
