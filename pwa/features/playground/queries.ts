import { queryOptions } from '@tanstack/react-query';
import { modelApi } from '#shared/models.ts';
import type { Price } from '#shared/pricing.ts';
import { call } from '#pwa/api/call.ts';
import { canChat, isSmall, kindOfModel } from '#pwa/api/chat-models.ts';
import { priceOf } from './rough-cost.ts';

export interface OfferedModel {
  name: string;
  groups: string[];
  /** Absent where no price is set, and in data that an older console stored. */
  price?: Price;
}

/** Models that can be called here, with the groups that offer them. `userId`: the offer depends on the user. */
export const offeredModelsQuery = (userId: number) =>
  queryOptions({
    queryKey: ['playground-models', userId],
    queryFn: async ({ signal }): Promise<OfferedModel[]> => {
      const entries = await call(modelApi.pricing, { signal });
      return entries
        .filter((entry) => kindOfModel(entry.model_name) !== undefined)
        .map((entry) => ({
          name: entry.model_name,
          groups: entry.enable_groups,
          ...(entry.has_price ? { price: priceOf(entry) } : {}),
        }))
        .toSorted((one, other) => one.name.localeCompare(other.name));
    },
    meta: { offline: true },
    staleTime: 60_000,
  });

/** What a new conversation begins with: the usual small model where it is offered, else another small one. */
export function defaultModel(names: readonly string[]): string | undefined {
  const chats = names.filter(canChat);
  return chats.includes('gpt-4o-mini') ? 'gpt-4o-mini' : (chats.find(isSmall) ?? chats[0] ?? names[0]);
}
