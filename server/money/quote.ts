// What a call will cost at most, as far as that can be known beforehand, and what it did cost.
import { AppError } from '#shared/errors.ts';
import { costOf, findPrice, quotaOf, unsetPrice } from '#shared/pricing.ts';
import type { Price, PriceMaps, PricedUsage } from '#shared/pricing.ts';
import type { CacheWriteClass } from '#shared/token-usage.ts';
import { Role } from '#shared/roles.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface QuotedPrice {
  price: Price;
  groupRatio: number;
  quotaPerUnit: number;
}

export interface PromptSize {
  tokens: number;
  /** The caller asks for parts of it to be written to the provider's cache: they may be all of it. */
  cacheWrite: CacheWriteClass | null;
  /** Tokens of it that are audio. */
  audio: number;
  /** The response may be spoken: all of it is reserved for as audio. */
  isSpoken: boolean;
}

export interface Quotes {
  /** @throws {AppError} `model_price_error` when the model has none and that is not allowed */
  priceOf(model: string, group: string, user: UserRecord): QuotedPrice;
  /** Null: the model has no price. */
  knownPriceOf(model: string, group: string): QuotedPrice | null;
  /** What handing in a task costs: a price per call, of models without one the usual price of tasks. */
  priceOfTask(model: string, group: string): QuotedPrice;
  /** The most that a prompt and so many completion tokens can cost, in quota, at least 1. */
  reserveFor(quoted: QuotedPrice, prompt: PromptSize, completionTokens: number): number;
  /** The most completion tokens, up to `most`, that `has` quota pays for together with the prompt. */
  affordable(quoted: QuotedPrice, prompt: PromptSize, quota: { has: number; most: number }): number;
  /** Quota of a usage. */
  charge(quoted: QuotedPrice, usage: PricedUsage): number;
}

/** Of tasks whose model has no price per call. */
export const unsetTaskPrice: Price = { kind: 'call', modelPrice: 0.1 };

export function createQuotes(settings: Settings): Quotes {
  let revision = -1;
  let prices = new Map<string, Price | null>();
  let unset = new Map<string, Price>();
  let maps: PriceMaps;

  // Prices are looked up once per model until any setting changes: costs are cached on the price object.
  function refresh(): void {
    if (revision === settings.revision) return;
    revision = settings.revision;
    prices = new Map();
    unset = new Map();
    maps = priceMapsOf(settings);
  }

  function knownPrice(model: string): Price | null {
    refresh();
    let price = prices.get(model);
    if (price === undefined) {
      price = findPrice(model, maps);
      if (prices.size < 10_000) prices.set(model, price);
    }
    return price;
  }

  function priceFor(model: string, user: UserRecord): Price {
    const price = knownPrice(model);
    if (price !== null) return price;
    if (!settings.get('SelfUseModeEnabled') && !acceptsUnset(user)) {
      throw new AppError(user.role >= Role.admin ? 'model_price_error_admin' : 'model_price_error', { model });
    }
    const known = unset.get(model) ?? unsetPrice(model, maps);
    if (unset.size < 10_000) unset.set(model, known);
    return known;
  }

  function quote(price: Price, group: string): QuotedPrice {
    const ratios = settings.get('GroupRatio');
    return { price, groupRatio: Object.hasOwn(ratios, group) ? (ratios[group] ?? 1) : 1, quotaPerUnit: settings.get('QuotaPerUnit') };
  }

  return {
    priceOf: (model, group, user) => quote(priceFor(model, user), group),
    knownPriceOf(model, group) {
      const price = knownPrice(model);
      return price === null ? null : quote(price, group);
    },
    priceOfTask(model, group) {
      refresh();
      const found = prices.get(model) ?? findPrice(model, maps);
      return quote(found?.kind === 'call' ? found : unsetTaskPrice, group);
    },
    reserveFor,
    affordable(quoted, prompt, { has, most }) {
      let [fits, above] = [0, most + 1];
      while (above - fits > 1) {
        const middle = fits + Math.floor((above - fits) / 2);
        if (reserveFor(quoted, prompt, middle) <= has) fits = middle;
        else above = middle;
      }
      return fits;
    },
    charge: ({ price, groupRatio, quotaPerUnit }, usage) => costOf(usage, price, groupRatio, quotaPerUnit).quota,
  };
}

function reserveFor({ price, groupRatio, quotaPerUnit }: QuotedPrice, prompt: PromptSize, completionTokens: number): number {
  const { cacheWrite, audio, isSpoken } = prompt;
  const promptTokens = Math.max(1, prompt.tokens);
  const usage: PricedUsage = { promptTokens, completionTokens };
  if (price.kind === 'usage') {
    const isHeard = audio > 0 && price.audioInputRatio > 1;
    if (isHeard) usage.audioInputTokens = Math.min(audio, promptTokens);
    if (promptRatio(price, cacheWrite) > 1) {
      // What is audio is not written as well, or costs less than it does as audio.
      const written = promptTokens - (usage.audioInputTokens ?? 0);
      usage[cacheWrite === 'cacheWrite1h' ? 'cacheCreation1hTokens' : 'cacheCreationTokens'] = written;
    }
    if (isSpoken && price.audioOutputRatio > price.completionRatio) usage.audioOutputTokens = completionTokens;
  }
  return Math.max(1, quotaOf(usage, price, groupRatio, quotaPerUnit));
}

/** By how much more than plain input each token of a prompt is reserved for, because it may be written to the cache; at least 1. */
export function promptRatio(price: Price, cacheWrite: CacheWriteClass | null): number {
  if (price.kind === 'call' || cacheWrite === null) return 1;
  return Math.max(1, cacheWrite === 'cacheWrite1h' ? price.cacheCreation1hRatio : price.cacheCreationRatio);
}

function acceptsUnset(user: UserRecord): boolean {
  if (user.setting === '') return false;
  try {
    const setting: unknown = JSON.parse(user.setting);
    return (
      typeof setting === 'object' &&
      setting !== null &&
      'accept_unset_model_ratio_model' in setting &&
      setting.accept_unset_model_ratio_model === true
    );
  } catch {
    return false; // written by an older version: nothing is accepted
  }
}
