import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { statementApi } from '#shared/statement.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';
import { type BalancesSearch, spanOfMonth } from './balances-search.ts';
import { spanOf, type StatementSearch } from './statement-search.ts';

export const statementQuery = (search: StatementSearch) =>
  queryOptions({
    queryKey: ['statement', search],
    queryFn: ({ signal }) => {
      const { start, end } = spanOf(search, Date.now());
      const query = { start_timestamp: String(start), ...(end === undefined ? {} : { end_timestamp: String(end) }) };
      if (search.user === undefined) return call(statementApi.own, { query, signal });
      return call(statementApi.ofUser, { params: { id: String(search.user) }, query, signal });
    },
    staleTime: 0,
    meta: { offline: true },
  });

interface BalancesPage {
  month: BalancesSearch['month'];
  page: number;
  size: number;
}

/** One page of the table of all accounts; pages from 1. */
export const balancesQuery = ({ month, page, size }: BalancesPage) =>
  queryOptions({
    queryKey: ['balances', { month, page, size }],
    queryFn: async ({ signal }) => {
      const query = { ...monthQuery(month), p: String(page), page_size: String(size) };
      const { data, extra } = await callWithExtra(statementApi.ofAll, { query, signal });
      return { ...data, ...extra };
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });

/** The sums of the same table. */
export const balanceSumsQuery = (month: BalancesSearch['month']) =>
  queryOptions({
    queryKey: ['balances', 'sums', { month }],
    queryFn: ({ signal }) => call(statementApi.sumOfAll, { query: monthQuery(month), signal }),
    staleTime: 0,
    meta: { offline: true },
  });

/** The address of the table as a file. */
export function balancesFile(month: BalancesSearch['month']): string {
  return `${statementApi.exportAll.path}?${new URLSearchParams(monthQuery(month)).toString()}`;
}

function monthQuery(month: BalancesSearch['month']): { start_timestamp: string; end_timestamp: string } {
  const { start, end } = spanOfMonth({ month }, Date.now());
  return { start_timestamp: String(start), end_timestamp: String(end) };
}
