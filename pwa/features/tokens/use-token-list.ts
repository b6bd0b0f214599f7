import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { foundTokensQuery, tokensQuery } from './queries.ts';
import type { TokenSearch } from './token-search.ts';

interface TokenListOptions {
  search: TokenSearch;
  onSearch: (change: Partial<TokenSearch>) => void;
  screen: ListScreen;
}

/** List of the address and the part of a key, and the ways to change it. */
export function useTokenList({ search, onSearch, screen }: TokenListOptions) {
  // Not in the address: a part of a key is a secret, and addresses are remembered.
  const [partOfKey, setPartOfKey] = useState('');
  const keyword = search.keyword ?? '';
  const filtersSet = [keyword, partOfKey].filter((filter) => filter !== '').length;
  const isSearch = filtersSet > 0;
  const page = useQuery({ ...tokensQuery(screen.page, screen.size), enabled: !isSearch });
  const found = useQuery({ ...foundTokensQuery(keyword, partOfKey), enabled: isSearch });
  const query = isSearch ? found : page;
  const rows = query.data?.items;
  const total = query.data?.total ?? 0;
  return {
    /** As `DataList` takes it. */
    listed: {
      query,
      rows,
      filtersSet,
      onClearFilters: () => {
        setPartOfKey('');
        onSearch({ keyword: undefined, p: undefined });
      },
      // What is searched for comes all at once.
      ...(isSearch || total === 0 ? {} : { pager: screen.pager(total, query.data?.isLowerBound, rows?.length) }),
    },
    isEmpty: !isSearch && rows?.length === 0,
    partOfKey,
    setPartOfKey,
  };
}
