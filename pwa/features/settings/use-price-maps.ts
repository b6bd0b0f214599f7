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
export function priceMapsOf(options: readonly Option[], edits: SettingEdits) {
  const savedText = (key: PriceKey): string => options.find((option) => option.key === key)?.value ?? '{}';
  return {
    maps: mapsOf((key) => edits.drafts.get(key)?.text ?? edits.queued.get(key)?.mine ?? savedText(key)),
    saved: mapsOf(savedText),
  };
}

/** Them, and the models that the table of prices is about. */
export function usePriceMaps(options: readonly Option[], edits: SettingEdits) {
  const { data: enabled = [] } = useQuery(enabledModelsQuery);
  const { maps, saved } = priceMapsOf(options, edits);
  const served = [...new Set(enabled.map(pricedName))].sort();
  return {
    maps,
    saved,
    /** Models of enabled channels, by the names that prices are kept under. */
    served,
    models: maps === undefined || saved === undefined ? [] : [...new Set([...pricedModels(maps), ...pricedModels(saved)])].sort(),
    /** Models of channels that have no price as it is saved: a typed one leaves the list when it is. */
    unpriced: saved === undefined ? [] : served.filter((model) => isUnpriced(saved, model)),
  };
}
