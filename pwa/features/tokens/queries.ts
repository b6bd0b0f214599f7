import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { z } from 'zod/mini';
import { Token, tokenApi } from '#shared/tokens.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';
import { maskKey } from '#pwa/api/token-key.ts';

const TokenPage = z.object({ items: z.array(Token), total: z.number(), isLowerBound: z.optional(z.boolean()) });
type TokenPage = z.infer<typeof TokenPage>;

/** One page of own tokens; pages from 1. */
export const tokensQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: ['tokens', { page, size }],
    queryFn: async ({ signal }): Promise<TokenPage> => {
      const { data, extra } = await callWithExtra(tokenApi.list, { query: { p: page - 1, size }, signal });
      return { items: data, total: extra.total, isLowerBound: extra.total_is_lower_bound };
    },
    meta: { offline: { strip: withoutKeys } },
    placeholderData: keepPreviousData,
  });

/** Own tokens by a part of the name or of the key; all at once, at most 100. Not stored: the typed text may be a key. */
export const foundTokensQuery = (keyword: string, key: string) =>
  queryOptions({
    queryKey: ['tokens', { keyword, key }],
    queryFn: async ({ signal }): Promise<TokenPage> => {
      const items = await call(tokenApi.search, { query: { keyword, token: key }, signal });
      return { items, total: items.length };
    },
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

function withoutKeys(data: unknown): unknown {
  const page = TokenPage.safeParse(data);
  if (!page.success) return { items: [], total: 0 };
  return { ...page.data, items: page.data.items.map((token) => ({ ...token, key: maskKey(token.key) })) };
}
