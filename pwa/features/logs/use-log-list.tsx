import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import type { EmptyText } from '#pwa/ui/list/list-parts.tsx';
import { useCursorPager } from '#pwa/ui/list/use-cursor-pager.ts';
import type { LogSearch, Range } from './log-address.ts';
import { boundsOf, countFilters, noFilters } from './log-search.ts';
import { logListOf, logsQuery, logSumsQuery } from './queries.ts';
import { useFollow } from './use-follow.ts';
import { useLogDays } from './use-log-days.tsx';

interface LogListOptions {
  search: LogSearch;
  onSearch: (change: Partial<LogSearch>) => void;
  size: number;
}

/** List of the address with its sums, and the ways to change it. */
export function useLogList({ search, onSearch, size }: LogListOptions) {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const list = logListOf(search, isAdmin);
  const page = search.p ?? 1;
  const query = useQuery(logsQuery(list, { page, size, cursor: search.after }));
  const sums = useQuery(logSumsQuery(list)).data;
  const rows = query.data?.items;
  const isFirst = page === 1 && search.after === undefined && boundsOf(list.range, Date.now()).end === undefined;
  const { newer, show } = useFollow({ list, size, isFirst, isOpen: search.open !== undefined });
  const pager = useCursorPager({ search, size, onSearch, page: query.data });
  /** Whatever narrows the list begins at its first page again. */
  const narrow = (change: Partial<LogSearch>): void => onSearch({ ...change, p: undefined, after: undefined });
  return {
    list,
    query,
    sums,
    newer: { count: newer, onShow: show },
    narrow,
    /** As `DataList` takes it. */
    listed: {
      query,
      rows,
      group: useLogDays(list, rows ?? [], sums?.quota),
      empty: useEmptyText(search, narrow),
      filtersSet: countFilters(list.filters),
      onClearFilters: () => narrow(noFilters),
      pager,
    },
  };
}

const longRanges: ReadonlySet<Range> = new Set<Range>(['week', 'this_month', 'last_month', 'custom']);

/** Nothing in a short range may only mean that it is too short. */
function useEmptyText({ range }: LogSearch, narrow: (change: Partial<LogSearch>) => void): EmptyText {
  const { t } = useTranslation();
  const title = t('logs.empty.title');
  if (range !== undefined && longRanges.has(range)) return { title, text: t('logs.empty.never') };
  return {
    title,
    text: t('logs.empty.in_range'),
    action: <Button onClick={() => narrow({ range: 'week' })}>{t('logs.empty.show_week')}</Button>,
  };
}
