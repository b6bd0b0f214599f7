import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { acceptsUnpriced } from '#pwa/api/accepts-unpriced.ts';
import { defaultGroup, filterEntries, withoutPriceNeeded } from './price-list.ts';
import type { PricingSearch } from './pricing-search.ts';
import { pricingQuery } from './queries.ts';

interface PriceRowsOptions {
  search: PricingSearch;
  onSearch: (change: Partial<PricingSearch>) => void;
}

/** Prices of the viewer, and those of them that match the address. */
export function usePriceRows({ search, onSearch }: PriceRowsOptions) {
  const user = useStoredUser();
  const query = useQuery(pricingQuery(user?.id ?? 0));
  const needsNoPrice = useSiteStatus()?.self_use_mode_enabled === true || acceptsUnpriced(user);
  const { data } = query;
  // Then calls need no price: the ratios that the list has for such models are the ones that count.
  const list = useMemo(() => (needsNoPrice && data !== undefined ? withoutPriceNeeded(data) : data), [needsNoPrice, data]);
  const ownGroup = user?.group || defaultGroup;
  const { keyword, billing, available, group = ownGroup } = search;
  const entries = list?.entries;
  const rows = useMemo(
    () =>
      entries === undefined
        ? undefined
        : filterEntries(entries, { keyword: keyword ?? '', billing, availableIn: available === 'yes' ? group : undefined }),
    [entries, keyword, billing, available, group],
  );
  return {
    query,
    list,
    rows,
    group,
    ownGroup,
    /** As `DataList` takes them. */
    filters: {
      filtersSet: [keyword, billing, available].filter((value) => value !== undefined).length,
      onClearFilters: () => onSearch({ keyword: undefined, billing: undefined, available: undefined }),
    },
  };
}
