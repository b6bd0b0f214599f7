import { queryOptions } from '@tanstack/react-query';
import { statementApi } from '#shared/statement.ts';
import { call } from '#pwa/api/call.ts';
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
