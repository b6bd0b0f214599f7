import type { PricingEntry } from '#shared/models.ts';
import { findPrice, type PriceMaps, unsetModelRatio } from '#shared/find-price.ts';
import type { UsagePrice } from '#shared/pricing.ts';
import { completionRatioOf, pricedName } from '#shared/pricing-rules.ts';
import { usualTierFactors } from '#shared/service-tiers.ts';
import { longInputsOf } from '#shared/long-inputs.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { kindOfPriced, type PricedTool, pricedTools } from '#shared/hosted-tools.ts';
import { toolPricesOf } from '#shared/tool-prices.ts';
import { tuningPriceOf } from '#shared/tuning-prices.ts';
import type { AppContext } from '#server/context.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import type { Settings } from '#server/settings/settings.ts';
import { ratioOfGroup } from '#server/settings/group-moves.ts';
import { usableGroups } from '#server/settings/usable-groups.ts';
import { kindOfModel } from '#server/exchange/kind-of-model.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { priceUnitOf } from './price-unit.ts';

/** Returns prices of the models that enabled channels offer, sorted by name; recomputed after a change of a channel or a setting. */
export function createPriceList({ channels, settings }: Pick<AppContext, 'channels' | 'settings'>): () => PricingEntry[] {
  let made = '';
  let prices: PricingEntry[] = [];
  return () => {
    const revision = `${channels.revision}:${settings.revision}`;
    if (made !== revision) {
      prices = listPrices({ channels, settings });
      made = revision;
    }
    return prices;
  };
}

function listPrices({ channels, settings }: Pick<AppContext, 'channels' | 'settings'>): PricingEntry[] {
  const maps = priceMapsOf(settings);
  return channels.enabledModels().map((model) => {
    const price = priceFields(model, maps);
    // What is paid by the call draws or sings, and runs no tools.
    const tools = price.quota_type === 0 ? toolFields(model, { channels, settings }) : {};
    return {
      model_name: model,
      ...price,
      unit: priceUnitOf(model, findPrice(model, maps), servedBy(channels, model)),
      ...tools,
      ...tuningFields(model, { channels, settings }),
      owner_by: '',
      enable_groups: [...channels.groupsOf(model)],
    };
  });
}

function servedBy(channels: AppContext['channels'], model: string): PreparedChannel[] {
  return channels.groupsOf(model).flatMap((group) => channels.tiers(group, model).flatMap((tier) => tier.channels));
}

/** Of tools that the provider of some channel of the model runs for callers of every format. */
function toolFields(model: string, { channels, settings }: Pick<AppContext, 'channels' | 'settings'>): Pick<PricingEntry, 'tool_prices'> {
  const kinds = new Set<string>();
  for (const channel of servedBy(channels, model)) {
    // Models for pictures, speech, audio or embeddings run no tools.
    if (kindOfModel(channel, model) !== undefined) continue;
    const { provider } = channel;
    for (const { hosted = [], runsAlways = [] } of Object.values(provider?.formats ?? {}))
      for (const kind of [...hosted, ...runsAlways]) kinds.add(kind);
  }
  if (kinds.size === 0) return {};
  const prices = toolPricesOf(model, settings.get('ToolPrice'));
  const shown = pricedTools.flatMap((tool): [PricedTool, number][] => {
    const [price = 0, kind] = [prices[tool], kindOfPriced(tool)];
    return !kinds.has(kind) || price === 0 || (tool !== kind && price === prices[kind]) ? [] : [[tool, price]];
  });
  return shown.length === 0 ? {} : { tool_prices: Object.fromEntries(shown) };
}

/** Of models that callers may train, at a provider that does it for some group. */
function tuningFields(
  model: string,
  { channels, settings }: Pick<AppContext, 'channels' | 'settings'>,
): Pick<PricingEntry, 'tuning_prices'> {
  if (settings.get('FineTuningJobsPerUser') === 0) return {};
  const prices = tuningPriceOf(model, settings.get('FineTuningPrice'));
  const isTrained = channels
    .groupsOf(model)
    .some((group) =>
      channels.tiers(group, model).some((tier) => tier.channels.some(({ provider }) => provider?.hosts?.includes('fine_tuning') === true)),
    );
  return prices === null || !isTrained ? {} : { tuning_prices: prices };
}

/** Ratios of the groups that a user of `userGroup` (null: a visitor) may use, and what they are called. */
export function priceGroups(
  settings: Settings,
  userGroup: string | null,
): { group_ratio: Record<string, number>; usable_group: Record<string, string> } {
  const usable = usableGroups(settings, userGroup);
  const groups = Object.keys(settings.get('GroupRatio')).filter((group) => usable[group] !== undefined);
  const ratios = groups.map((group) => [group, ratioOfGroup(settings, group, userGroup ?? undefined)]);
  return { group_ratio: Object.fromEntries(ratios), usable_group: { ...usable } };
}

/** Models without a price are shown at the ratio that they have where those are allowed. */
function priceFields(model: string, maps: PriceMaps) {
  const price = findPrice(model, maps);
  if (price?.kind === 'call') {
    const { modelPrice, videos } = price;
    const known = { quota_type: 1, model_ratio: 0, completion_ratio: 0, cache_ratio: 0, model_price: modelPrice, has_price: true };
    return { ...known, ...(videos === undefined ? {} : { video_prices: [...videos] }) };
  }
  return {
    quota_type: 0,
    model_ratio: price?.modelRatio ?? unsetModelRatio,
    completion_ratio: price?.completionRatio ?? completionRatioOf(model, maps.completionRatio),
    cache_ratio: price?.cacheRatio ?? maps.cacheRatio[model] ?? 1,
    ...furtherRatios(model, price, maps),
    ...(price?.longInputs === undefined ? {} : { long_inputs: longInputsOf(pricedName(model), maps.longInputPrice ?? {}) }),
    ...(price?.tiers === undefined ? {} : { tiers: tiersShown(price.tiers) }),
    model_price: 0,
    has_price: price !== null,
  };
}

function tiersShown(tiers: NonNullable<UsagePrice['tiers']>): NonNullable<PricingEntry['tiers']> {
  return [...tiers].map(([tier, { tier: { factor, parts } = usualTierFactors(tier) }]) => ({
    tier,
    factor,
    ...(Object.keys(parts).length === 0 ? {} : { parts: { ...parts } }),
  }));
}

/** Of models that have a price of their own for writing to the cache, for audio, or for pictures. */
function furtherRatios(model: string, price: UsagePrice | null, maps: PriceMaps) {
  if (price === null) return {};
  const name = pricedName(model);
  const has = (map: NumberMap | undefined): boolean => map?.[name] !== undefined;
  return {
    ...(has(maps.cacheCreationRatio) ? { cache_creation_ratio: price.cacheCreationRatio } : {}),
    ...(has(maps.audioRatio) ? { audio_ratio: price.audioInputRatio } : {}),
    ...(has(maps.audioCompletionRatio) ? { audio_output_ratio: price.audioOutputRatio } : {}),
    ...(has(maps.imageRatio) ? { image_ratio: price.imageInputRatio } : {}),
    ...(has(maps.imageCompletionRatio) ? { image_output_ratio: price.imageOutputRatio } : {}),
    ...(price.audioCacheRatio === undefined ? {} : { audio_cache_ratio: price.audioCacheRatio }),
    ...(price.imageCacheRatio === undefined ? {} : { image_cache_ratio: price.imageCacheRatio }),
  };
}
