import { queryOptions, useQuery } from '@tanstack/react-query';
import { channelApi } from '#shared/channels.ts';
import type { Option } from '#shared/options.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { call } from '#pwa/api/call.ts';
import { isUnpriced, mapsOf, pricedModels, type PriceKey } from './price-rows.ts';
import type { SettingEdits } from './use-setting-edits.ts';

const enabledModelsQuery = queryOptions({
  queryKey: ['channels', 'models_enabled'],
  queryFn: ({ signal }) => call(channelApi.modelsEnabled, { signal }),
  meta: { offline: true },
});

/** The price maps with what was typed, and as they are saved; undefined while one of them is no map. */
export function usePriceMaps(options: readonly Option[], edits: SettingEdits) {
  const { data: enabled = [] } = useQuery(enabledModelsQuery);
  const savedText = (key: PriceKey): string => options.find((option) => option.key === key)?.value ?? '{}';
  const saved = mapsOf(savedText);
  const maps = mapsOf((key) => edits.drafts.get(key)?.text ?? edits.queued.get(key)?.mine ?? savedText(key));
  return {
    maps,
    saved,
    models: maps === undefined || saved === undefined ? [] : [...new Set([...pricedModels(maps), ...pricedModels(saved)])].sort(),
    /** Models of channels that have no price as it is saved: a typed one leaves the list when it is. */
    unpriced: saved === undefined ? [] : [...new Set(enabled.map(pricedName))].filter((model) => isUnpriced(saved, model)).sort(),
  };
}
