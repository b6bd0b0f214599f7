// Compares the prices of the models that the settings select with a catalogue.
import type { PriceSyncField } from '#shared/price-sync-settings.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { modelFit } from '#shared/long-inputs.ts';
import { product } from '#shared/decimal.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import type { AppContext } from '#server/context.ts';
import type { PriceEntryRecord } from '#server/db/records/price-review.ts';
import { refusedUnpriced } from '#server/logs/refused-unpriced.ts';
import { InvalidPrice, ratioOf, type Catalogue, type Offer, type OwnList } from './catalogues/catalogue.ts';
import { findOffer, indexOffers } from './find-offer.ts';
import { changeToCatalogue, changeToOwn, type ChangeTerms, isListed, type PriceChange } from './price-changes.ts';
import { byPriceKey, isPriceKey, mapWith, priceKeys, type Prices, pricesOf, subjectOf } from './price-lines.ts';

export interface Comparison {
  changes: (PriceChange & { provider: string })[];
  /** Models and patterns of the catalogue that were compared. */
  compared: number;
  unplaced: { model: string; names: string[] }[];
  /** Models with prices that no price map can have. */
  invalid: string[];
  /** All models and patterns of a Tidegate's list. */
  known?: string[];
}

interface ComparisonTerms {
  /** Changes that are planned, by model. */
  planned: ReadonlyMap<string, readonly PriceEntryRecord[]>;
  /** Models and patterns of the last list of the same Tidegate. */
  known: readonly string[];
}

/** Models compared before other work gets its turn. */
const atOnce = 100;

export async function compareCatalogue(
  context: AppContext,
  catalogue: Catalogue,
  { planned, known }: ComparisonTerms,
): Promise<Comparison> {
  const { settings } = context;
  const terms: ChangeTerms = {
    prices: pricesOf(settings),
    quotaPerUnit: settings.get('QuotaPerUnit'),
    fields: new Set(settings.get('PriceSyncFields').filter(isField)),
    guardPercent: settings.get('PriceSyncGuardPercent'),
  };
  const selection = await selectedModels(context, terms.prices);
  const compare =
    catalogue.format === 'tidegate' ? ownComparison(catalogue.list, { terms, known }) : offerComparison(catalogue.offers, settings);
  const except = settings.get('PriceSyncExcept');
  const comparison: Comparison = {
    changes: [],
    compared: 0,
    unplaced: [],
    invalid: [],
    ...(compare.known === undefined ? {} : { known: compare.known }),
  };
  for (const [index, model] of compare.models(selection).entries()) {
    if (index % atOnce === atOnce - 1) await new Promise(setImmediate);
    if (isListed(model, except)) continue;
    const found = changeOf(compare, model, terms);
    if (found === 'invalid') comparison.invalid.push(model);
    if (found === null || found === 'invalid') continue;
    comparison.compared += 1;
    if (found.unplaced.length > 0) comparison.unplaced.push({ model, names: found.unplaced });
    if (found.change === null) continue;
    const entries = planned.get(model);
    const isPlanned = (own: readonly PriceEntryRecord[]): boolean => {
      const after = changeOf(compare, model, { ...terms, prices: withEntries(terms.prices, own) });
      return after !== null && after !== 'invalid' && after.change === null;
    };
    if (entries !== undefined && isPlanned(entries)) continue;
    comparison.changes.push({ ...found.change, provider: found.provider });
  }
  return comparison;
}

function changeOf(compare: Compared, model: string, terms: ChangeTerms): ReturnType<Compared['change']> | 'invalid' {
  try {
    return compare.change(model, terms);
  } catch (failure) {
    if (failure instanceof InvalidPrice) return 'invalid';
    throw failure;
  }
}

function isField(name: string): name is PriceSyncField {
  return name in { text: 0, cache: 0, audio: 0, image: 0, call: 0, video: 0, long: 0, tier: 0, tool: 0, tuning: 0 };
}

interface Selection {
  /** Names under which prices of the selected models are stored. */
  models: readonly string[];
  takesAll: boolean;
}

async function selectedModels({ channels, db, now, settings }: AppContext, prices: Prices): Promise<Selection> {
  const which = settings.get('PriceSyncModels');
  const refused = await refusedUnpriced(db, Math.floor(now() / 1000));
  const offered = [...channels.enabledModels(), ...refused.keys()].filter((model) => model !== '').map(pricedName);
  const priced = which === 'offered' ? [] : [...Object.keys(prices.ModelRatio), ...Object.keys(prices.ModelPrice)];
  return { models: [...new Set([...offered, ...priced])], takesAll: which === 'all' };
}

interface Compared {
  known?: string[];
  models(selection: Selection): string[];
  /** Null: the catalogue has no such model. */
  change(model: string, terms: ChangeTerms): { change: PriceChange | null; provider: string; unplaced: string[] } | null;
}

function offerComparison(offers: readonly Offer[], settings: AppContext['settings']): Compared {
  const index = indexOffers(offers);
  const providers = settings.get('PriceSyncProviders');
  return {
    models: ({ models, takesAll }) => (takesAll ? [...new Set([...models, ...offers.map(({ model }) => model)])] : [...models]),
    change(model, terms) {
      const found = findOffer(model, index, providers);
      if (found === null) return null;
      const { offer, differs } = found;
      const change = changeToCatalogue(model, offer.prices, terms);
      if (change !== null && differs) change.guards.push('differs');
      return { change, provider: offer.provider, unplaced: change?.unplaced ?? [...offer.prices.unplaced] };
    },
  };
}

function ownComparison(list: OwnList, { terms, known }: { terms: ChangeTerms; known: readonly string[] }): Compared {
  const bySubject = subjectsOf(list, terms.quotaPerUnit);
  const subjects = [...bySubject.keys()];
  const dropped = known.filter((subject) => !bySubject.has(subject));
  const nothing = byPriceKey((): NumberMap => ({}));
  return {
    known: subjects,
    models({ models, takesAll }) {
      const all = [...subjects, ...dropped];
      if (takesAll) return all;
      const selected = new Set(models);
      return all.filter(
        (subject) =>
          selected.has(subject) || subject === '*' || (subject.endsWith('*') && models.some((model) => modelFit(model, subject) >= 0)),
      );
    },
    change: (subject, at) => ({ change: changeToOwn(subject, bySubject.get(subject) ?? nothing, at), provider: '', unplaced: [] }),
  };
}

/** Entries of a list by model or pattern, with ratios that are relative to this installation's quota of a US dollar. */
function subjectsOf({ maps, quotaPerUnit: unit }: OwnList, quotaPerUnit: number): Map<string, Prices> {
  const subjects = new Map<string, ReturnType<typeof emptyMaps>>();
  for (const key of priceKeys) {
    for (const [name, value] of Object.entries(maps[key] ?? {})) {
      const subject = subjectOf(key, name);
      const own = subjects.get(subject) ?? emptyMaps();
      own[key][name] =
        key === 'ModelRatio' && unit !== undefined && unit !== quotaPerUnit ? ratioOf(product(value, quotaPerUnit), unit) : value;
      subjects.set(subject, own);
    }
  }
  return subjects;
}

function emptyMaps() {
  return byPriceKey(() => {
    const empty: Record<string, number> = Object.create(null);
    return empty;
  });
}

function withEntries(prices: Prices, entries: readonly PriceEntryRecord[]): Prices {
  const edited = { ...prices };
  for (const { key, name, after } of entries) {
    if (!isPriceKey(key)) continue;
    const map = mapWith(Object.entries(edited[key]));
    if (after === undefined) delete map[name];
    else map[name] = after;
    edited[key] = map;
  }
  return edited;
}
