// Upper bound of a call's cost, and its actual cost.
import { AppError } from '#shared/errors.ts';
import type { CallUnits } from '#shared/call-units.ts';
import type { PricedRuns } from '#shared/hosted-tools.ts';
import { batchPrice } from '#shared/batch-price.ts';
import { findPrice, type PriceMaps, unsetPrice } from '#shared/find-price.ts';
import { type CallPrice, costWithTools, type Price, type PricedUsage, quotaOf, quotaWithTools, type UsagePrice } from '#shared/pricing.ts';
import { videoPrice } from '#shared/price-at.ts';
import type { CacheWriteClass } from '#shared/token-usage.ts';
import { type ToolCharge, toolCharges, type ToolPrices, toolPricesOf } from '#shared/tool-prices.ts';
import { Role } from '#shared/roles.ts';
import { createTuningQuotes, type TuningQuotes } from './tuning-quotes.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { NestedMap } from '#shared/nested-map-settings.ts';
import { ratioOfGroup, specialRatio } from '#server/settings/group-moves.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface QuotedPrice {
  readonly price: Price;
  readonly groupRatio: number;
  readonly quotaPerUnit: number;
  /** Prices of tools that run at the provider; undefined if there are none. */
  readonly tools?: ToolPrices;
}

export interface PromptSize {
  tokens: number;
  /** Class of the cache writes that the caller requests; they may cover the whole prompt. */
  cacheWrite: CacheWriteClass | null;
  /** Audio tokens of the prompt. */
  audio: number;
  /** Image tokens of the prompt; undefined for none. */
  image?: number;
  /** The response may be audio: all of it is reserved as such. */
  isSpoken: boolean;
  /** Maximum runs of tools at the provider. */
  runs?: PricedRuns;
  /** Units of a price per call; if undefined, one call. */
  units?: CallUnits;
  /** Output tokens of generated media; undefined for text. */
  made?: number;
  /** Most expensive service tier that the call may use; undefined for the default tier. */
  tier?: string;
}

export interface Quotes extends TuningQuotes {
  /** @throws {AppError} `model_price_error` if the model has no price and that is not allowed */
  priceOf(model: string, group: string, user: UserRecord): QuotedPrice;
  /** Returns null if the model has no price. */
  knownPriceOf(model: string, group: string, user: Pick<UserRecord, 'group'>): QuotedPrice | null;
  /**
   * Price of batch requests.
   * @throws {AppError} as `priceOf`
   */
  priceOfBatch(model: string, group: string, user: UserRecord): QuotedPrice;
  /** Price of a task: the price per call, or the default for tasks. */
  priceOfTask(model: string, group: string, user: UserRecord): QuotedPrice;
  /**
   * Price per second of video, by resolution.
   * @throws {AppError} `model_price_error`, `model_makes_no_videos`
   */
  priceOfVideo(model: string, group: string, user: UserRecord): QuotedPrice;
  /** Maximum cost of a prompt and completion tokens, in quota, at least 1. */
  reserveFor(quoted: QuotedPrice, prompt: PromptSize, completionTokens: number): number;
  /** Maximum completion tokens, up to `most`, that `has` quota covers together with the prompt. */
  affordable(quoted: QuotedPrice, prompt: PromptSize, quota: { has: number; most: number }): number;
  /** Quota of a usage, tool runs at the provider, and other priced items. */
  charge(quoted: QuotedPrice, usage: PricedUsage, runs?: PricedRuns, others?: readonly ToolCharge[]): number;
  /** Cost of a usage and tool runs in US dollars, before the group's ratio, unrounded. */
  dollars(quoted: QuotedPrice, usage: PricedUsage, runs?: PricedRuns): number;
}

/** Price of tasks whose model has no price per call. */
export const unsetTaskPrice: CallPrice = { kind: 'call', modelPrice: 0.1 };

/** Prices by model, computed once until a setting changes: costs are cached on the price object. */
interface PriceTables {
  revision: number;
  maps: PriceMaps;
  prices: Map<string, Price | null>;
  unset: Map<string, Price>;
  tools: Map<string, ToolPrices>;
  /** Quotes of models with a price, by group and model; groups with special factors also by the user's group. */
  quotes: Map<string, Map<string, QuotedPrice>>;
  /** Special factors; null if there are none. */
  special: NestedMap<number> | null;
}

/** Maximum models in one table. */
const mostStored = 10_000;

function freshTables(settings: Settings): PriceTables {
  const { revision } = settings;
  const factors = settings.get('GroupGroupRatio');
  const special = Object.keys(factors).length === 0 ? null : factors;
  return { revision, maps: priceMapsOf(settings), prices: new Map(), unset: new Map(), tools: new Map(), quotes: new Map(), special };
}

function toolsIn({ tools }: PriceTables, settings: Settings, model: string): ToolPrices {
  const known = tools.get(model) ?? toolPricesOf(model, settings.get('ToolPrice'));
  if (tools.size < mostStored) tools.set(model, known);
  return known;
}

/** Returns the quotes of a group, as users of `userGroup` pay them. */
function quotesIn(
  { quotes, special }: PriceTables,
  settings: Settings,
  { group, userGroup }: { group: string; userGroup: string },
): Map<string, QuotedPrice> {
  const key = special === null || specialRatio(settings, group, userGroup) === undefined ? group : `${userGroup}\n${group}`;
  let ofGroup = quotes.get(key);
  if (ofGroup === undefined) quotes.set(key, (ofGroup = new Map()));
  return ofGroup;
}

export function createQuotes(settings: Settings): Quotes {
  let tables: PriceTables | undefined;

  function current(): PriceTables {
    if (tables?.revision !== settings.revision) tables = freshTables(settings);
    return tables;
  }

  function knownPrice(model: string): Price | null {
    const { prices, maps } = current();
    let price = prices.get(model);
    if (price === undefined) {
      price = findPrice(model, maps);
      if (prices.size < mostStored) prices.set(model, price);
    }
    return price;
  }

  function priceFor(model: string, user: UserRecord): Price {
    const price = knownPrice(model);
    if (price !== null) return price;
    if (!settings.get('SelfUseModeEnabled') && !acceptsUnset(user)) {
      throw priceError(model, user);
    }
    const { unset, maps } = current();
    const known = unset.get(model) ?? unsetPrice(model, maps);
    if (unset.size < mostStored) unset.set(model, known);
    return known;
  }

  function knownQuote(model: string, group: string, user: Pick<UserRecord, 'group'>): QuotedPrice | null {
    const ofGroup = quotesIn(current(), settings, { group, userGroup: user.group });
    const known = ofGroup.get(model);
    if (known !== undefined) return known;
    const price = knownPrice(model);
    if (price === null) return null;
    const quoted = quote(price, model, group, user);
    if (ofGroup.size < mostStored) ofGroup.set(model, quoted);
    return quoted;
  }

  function quote(price: Price, model: string, group: string, user: Pick<UserRecord, 'group'>): QuotedPrice {
    return {
      price,
      groupRatio: ratioOfGroup(settings, group, user.group),
      quotaPerUnit: settings.get('QuotaPerUnit'),
      tools: toolsIn(current(), settings, model),
    };
  }

  return {
    ...createTuningQuotes(settings, quote, priceError),
    priceOf: (model, group, user) => knownQuote(model, group, user) ?? quote(priceFor(model, user), model, group, user),
    knownPriceOf: knownQuote,
    priceOfBatch: (model, group, user) => quote(batchPrice(priceFor(model, user)), model, group, user),
    priceOfTask(model, group, user) {
      const { prices, maps } = current();
      const found = prices.get(model) ?? findPrice(model, maps);
      return quote(found?.kind === 'call' ? found : unsetTaskPrice, model, group, user);
    },
    priceOfVideo(model, group, user) {
      // Tokens of a video are known only afterwards, so they could not be reserved.
      if (knownPrice(model)?.kind === 'usage') throw new AppError('model_makes_no_videos', { model }, { field: 'model' });
      const price = priceFor(model, user);
      return quote(videoPrice(price.kind === 'call' ? price : unsetTaskPrice), model, group, user);
    },
    reserveFor,
    affordable,
    charge: (quoted, usage, runs, others) => quotaFor(quoted, quoted.price, usage, runs, others),
    dollars(quoted, usage, runs) {
      const { exact } = costWithTools(usage, quoted.price, { ...termsOf(quoted, runs), groupRatio: 1 }).receipt();
      return Number(exact) / quoted.quotaPerUnit;
    },
  };
}

function priceError(model: string, user: UserRecord): AppError {
  return new AppError(user.role >= Role.admin ? 'model_price_error_admin' : 'model_price_error', { model });
}

const noTools: readonly ToolCharge[] = [];

/** Costs besides tokens, by the prices of that model. */
function termsOf(
  { groupRatio, quotaPerUnit, tools: prices }: QuotedPrice,
  runs: PricedRuns | undefined,
  others: readonly ToolCharge[] = noTools,
) {
  const tools = runs === undefined || prices === undefined ? noTools : toolCharges(runs, prices);
  return { groupRatio, quotaPerUnit, tools: others.length === 0 ? tools : [...tools, ...others] };
}

function quotaFor(
  quoted: QuotedPrice,
  price: Price,
  usage: PricedUsage,
  runs: PricedRuns | undefined,
  others?: readonly ToolCharge[],
): number {
  if (runs === undefined && others === undefined) return quotaOf(usage, price, quoted.groupRatio, quoted.quotaPerUnit);
  return quotaWithTools(usage, price, termsOf(quoted, runs, others));
}

/** Tolerance near a length threshold: the provider's token count may exceed ours. */
const countingError = 1.1;

/** Uses the higher cost of the default and the requested tier: a tier may raise the price of one class and lower another. */
function reserveFor(quoted: QuotedPrice, prompt: PromptSize, completionTokens: number): number {
  const { price } = quoted;
  const usual = reserveAt(quoted, price, prompt, completionTokens);
  const inTier = price.kind === 'call' || prompt.tier === undefined ? undefined : price.tiers?.get(prompt.tier);
  return inTier === undefined ? usual : Math.max(usual, reserveAt(quoted, inTier, prompt, completionTokens));
}

function reserveAt(quoted: QuotedPrice, price: Price, prompt: PromptSize, completionTokens: number): number {
  const { cacheWrite, audio } = prompt;
  const promptTokens = Math.max(1, prompt.tokens);
  const usage: PricedUsage = { promptTokens, completionTokens, longestInput: Math.ceil(promptTokens * countingError) };
  if (prompt.units !== undefined) usage.units = prompt.units;
  if (price.kind === 'usage') {
    const isInputAudio = audio > 0 && price.audioInputRatio > 1;
    if (isInputAudio) usage.audioInputTokens = Math.min(audio, promptTokens);
    // Each class applies to the tokens left by the previous one.
    const seen = prompt.image ?? 0;
    if (seen > 0 && price.imageInputRatio > 1) usage.imageInputTokens = Math.min(seen, promptTokens);
    if (cacheWrite !== null && promptRatio(price, cacheWrite) > 1) {
      // Audio tokens are not written to the cache, or cost less than as audio.
      const written = promptTokens - (usage.audioInputTokens ?? 0);
      usage[cacheWrite === 'cacheWrite1h' ? 'cacheCreation1hTokens' : 'cacheCreationTokens'] = written;
    }
    const mayCostMore = prompt.isSpoken || price.imageOutputRatio > price.completionRatio;
    const costliest = mayCostMore ? costliestOutput(price, prompt) : null;
    if (costliest !== null) usage[costliest] = completionTokens;
  }
  return Math.max(1, quotaFor(quoted, price, usage, prompt.runs));
}

/**
 * Token class in which all output is reserved: the most expensive one that the response may contain, because only the
 * response shows its classes. Null for text.
 */
function costliestOutput(price: UsagePrice, { isSpoken, made, units }: PromptSize): 'audioOutputTokens' | 'imageOutputTokens' | null {
  const spoken = isSpoken ? price.audioOutputRatio : 0;
  // Generated audio and transcripts contain no images; model output may.
  const drawn = made === undefined || units?.kind === 'image' ? price.imageOutputRatio : 0;
  if (Math.max(spoken, drawn) <= price.completionRatio) return null;
  return drawn > spoken ? 'imageOutputTokens' : 'audioOutputTokens';
}

/** Reports whether the model outputs images at a higher price than text. */
export function picturesCostMore(price: Price): boolean {
  return price.kind === 'usage' && price.imageOutputRatio > price.completionRatio;
}

function affordable(quoted: QuotedPrice, prompt: PromptSize, { has, most }: { has: number; most: number }): number {
  let [fits, above] = [0, most + 1];
  while (above - fits > 1) {
    const middle = fits + Math.floor((above - fits) / 2);
    if (reserveFor(quoted, prompt, middle) <= has) fits = middle;
    else above = middle;
  }
  return fits;
}

/** Factor over plain input for which prompt tokens are reserved, because they may be written to the cache; at least 1. */
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
    return false; // Not JSON: written by an older version.
  }
}
