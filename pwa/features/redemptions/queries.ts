import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod/mini';
import { pageOf } from '#shared/paging.ts';
import { Redemption, redemptionApi } from '#shared/redemptions.ts';
import { call } from '#pwa/api/call.ts';
import { maskCode } from './code-key.ts';

export interface CodesFilter {
  keyword: string;
  status: number | undefined;
}

/** A page of codes, newest first; pages count from 1. */
export const codesQuery = ({ p, size, keyword, status }: CodesFilter & { p: number; size: number }) =>
  queryOptions({
    queryKey: ['redemptions', { p, size, keyword, status }],
    queryFn: ({ signal }) =>
      keyword === ''
        ? call(redemptionApi.list, { query: { p, page_size: size, status }, signal })
        : call(redemptionApi.search, { query: { p, page_size: size, keyword, status }, signal }),
    placeholderData: keepPreviousData,
    meta: { offline: { strip: withoutCodes } },
  });

const CodePage = pageOf(Redemption);

function withoutCodes(data: unknown): z.infer<typeof CodePage> {
  const page = CodePage.safeParse(data);
  if (!page.success) return { items: [], total: 0, page: 1, page_size: 0 };
  return { ...page.data, items: page.data.items.map((code) => ({ ...code, key: maskCode(code.key) })) };
}
