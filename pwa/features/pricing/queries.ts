import { queryOptions } from '@tanstack/react-query';
import { modelApi } from '#shared/models.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { inOrder, type PriceList } from './price-list.ts';

/** Prices and groups of this viewer (0: signed out). */
export const pricingQuery = (userId: number) =>
  queryOptions({
    queryKey: ['pricing', userId],
    queryFn: async ({ signal }): Promise<PriceList> => {
      const { data, extra } = await callWithExtra(modelApi.pricing, { signal });
      return { entries: inOrder(data), groupRatio: extra.group_ratio, usableGroup: extra.usable_group };
    },
    meta: { offline: true },
    staleTime: 60_000,
  });
