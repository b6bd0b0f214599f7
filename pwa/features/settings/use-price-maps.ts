import { queryOptions, useQuery } from '@tanstack/react-query';
import { channelApi } from '#shared/channels.ts';
import { hasPrice } from '#shared/find-price.ts';
import { modelApi } from '#shared/models.ts';
import type { Option } from '#shared/options.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { parseMap, type EntryMap } from '#shared/settings.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { usualHeight, videoPricesOf } from '#shared/video-prices.ts';
import { call } from '#pwa/api/call.ts';
import { todoQuery } from '#pwa/api/operator-todo.ts';
import { mapsOf, pricedModels, type PriceKey, type PriceMaps } from './price-rows.ts';
import type { SettingEdits } from './use-setting-edits.ts';

const enabledModelsQuery = queryOptions({
  queryKey: ['channels', 'models_enabled'],
  queryFn: ({ signal }) => call(channelApi.modelsEnabled, { signal }),
  meta: { offline: true },
});

/** Units that a price per call is taken for at the channels that serve a model; a price of a whole call needs no word. */
const takenFor = ['second', 'image', 'minute', 'characters', 'search'] as const;
type TakenFor = (typeof takenFor)[number];

const unitsQuery = queryOptions({
  queryKey: ['pricing', 'units'],
  queryFn: async ({ signal }) =>
    Object.fromEntries((await call(modelApi.pricing, { signal })).map(({ model_name, unit }) => [model_name, unit])),
  meta: { offline: true },
});

/** The price maps with what was typed, and as they are saved; undefined while one of them is no map. */
export function priceMapsOf(options: readonly Option[], edits: SettingEdits) {
  const savedText = textsOf(options);
  return {
    maps: mapsOf((key) => edits.drafts.get(key)?.text ?? edits.queued.get(key)?.mine ?? savedText(key)),
    saved: mapsOf(savedText),
  };
}

const textsOf =
  (options: readonly Option[]) =>
  (key: PriceKey | 'VideoPrice'): string =>
    options.find((option) => option.key === key)?.value ?? '{}';

/** Them, and the models that the table of prices is about. */
export function usePriceMaps(options: readonly Option[], edits: SettingEdits) {
  const { data: enabled = [], isLoading } = useQuery(enabledModelsQuery);
  // Models that Home counts are listed here. Read once: nothing waits for it.
  const { data: todo } = useQuery({ ...todoQuery, refetchInterval: false });
  const { data: units = {} } = useQuery(unitsQuery);
  const { maps, saved } = priceMapsOf(options, edits);
  const videoPrice = numbersOf(parseMap(textsOf(options)('VideoPrice')));
  const served = [...new Set(enabled.map(pricedName))].sort();
  /** Calls of the last day that were refused for want of a price. */
  const refused = new Map(todo?.unpriced.map(({ model, count }) => [model, count]));
  const called = [...new Set([...refused.keys(), ...served])];
  const isUnpriced = (model: string, at: PriceMaps): boolean =>
    !hasPrice(model, { modelPrice: numbersOf(at.ModelPrice), modelRatio: numbersOf(at.ModelRatio), videoPrice });
  return {
    maps,
    saved,
    /** Files that manage prices, by model. */
    managed: options.find(({ key }) => key === 'ModelRatio')?.managed_entries ?? {},
    /** Which models come first is on its way: whatever is shown meanwhile would move. */
    isLoading,
    /** Models of enabled channels, by the names that prices are stored under. */
    served,
    models: maps === undefined || saved === undefined ? [] : [...new Set([...pricedModels(maps), ...pricedModels(saved)])].sort(),
    /** Models of channels that have no price as it is saved: a typed one leaves the list when it is. */
    unpriced: saved === undefined ? [] : called.filter((model) => isUnpriced(model, saved)),
    isUnpriced,
    refused,
    /** Undefined: a call, or no channel serves the model. */
    unitOf: (model: string): TakenFor | undefined => takenFor.find((unit) => unit === units[model]),
    /** USD per second of video, the usual resolution's; undefined: the model is not paid so. */
    perSecond: (model: string): number | undefined => {
      const prices = videoPricesOf(model, videoPrice);
      return (prices.find(({ height }) => height === usualHeight) ?? prices[0])?.price;
    },
  };
}

const known = new WeakMap<EntryMap, NumberMap>();

/** The same map as prices are looked up in; made once for each. */
function numbersOf(map: EntryMap | null): NumberMap {
  if (map === null) return {};
  const made =
    known.get(map) ?? Object.fromEntries([...map].flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])));
  known.set(map, made);
  return made;
}
