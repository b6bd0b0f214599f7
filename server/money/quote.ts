// What a call will cost at most, as far as that can be known beforehand, and what it did cost.
import { AppError } from '#shared/errors.ts';
import type { CallUnits } from '#shared/call-units.ts';
import type { PricedRuns } from '#shared/hosted-tools.ts';
import { batchPrice, findPrice, unsetPrice } from '#shared/find-price.ts';
import { costWithTools, quotaWithTools } from '#shared/pricing.ts';
import type { PriceMaps } from '#shared/find-price.ts';
import { videoPrice } from '#shared/price-at.ts';
import type { CallPrice, Price, PricedUsage, UsagePrice } from '#shared/pricing.ts';
import type { CacheWriteClass } from '#shared/token-usage.ts';
import { toolCharges, toolPricesOf } from '#shared/tool-prices.ts';
import type { ToolCharge, ToolPrices } from '#shared/tool-prices.ts';
import { Role } from '#shared/roles.ts';
import { createTuningQuotes } from './tuning-quotes.ts';
import type { TuningQuotes } from './tuning-quotes.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { ratioOfGroup } from '#server/settings/group-moves.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface QuotedPrice {
  price: Price;
  groupRatio: number;
  quotaPerUnit: number;
  /** Of tools that run at the provider; missing: none has a price. */
  tools?: ToolPrices;
}

export interface PromptSize {
  tokens: number;
  /** The caller asks for parts of it to be written to the provider's cache: they may be all of it. */
  cacheWrite: CacheWriteClass | null;
  /** Tokens of it that are audio. */
  audio: number;
  /** The same of pictures; missing: none. */
  image?: number;
  /** The response may be spoken: all of it is reserved for as audio. */
  isSpoken: boolean;
  /** How often tools may run at the provider. */
  runs?: PricedRuns;
  /** What a price per call may have to be paid for; missing: the call. */
  units?: CallUnits;
  /** Output tokens of what the response is made of; missing: a model writes it. */
  made?: number;
  /** The dearest lane that the call may take; missing: the usual one. */
  tier?: string;
}

export interface Quotes extends TuningQuotes {
  /** @throws {AppError} `model_price_error` when the model has none and that is not allowed */
  priceOf(model: string, group: string, user: UserRecord): QuotedPrice;
  /** Null: the model has no price. */
  knownPriceOf(model: string, group: string): QuotedPrice | null;
  /** What requests in batches cost. @throws {AppError} as `priceOf` */
  priceOfBatch(model: string, group: string, user: UserRecord): QuotedPrice;
  /** What handing in a task costs: a price per call, of models without one the usual price of tasks. */
  priceOfTask(model: string, group: string): QuotedPrice;
  /** Of a second of video, by its resolution. @throws {AppError} `model_price_error`, `model_makes_no_videos` */
  priceOfVideo(model: string, group: string, user: UserRecord): QuotedPrice;
  /** The most that a prompt and so many completion tokens can cost, in quota, at least 1. */
  reserveFor(quoted: QuotedPrice, prompt: PromptSize, completionTokens: number): number;
  /** The most completion tokens, up to `most`, that `has` quota pays for together with the prompt. */
  affordable(quoted: QuotedPrice, prompt: PromptSize, quota: { has: number; most: number }): number;
  /** Quota of a usage, of the tools that ran at the provider, and of what else has a price of its own. */
  charge(quoted: QuotedPrice, usage: PricedUsage, runs?: PricedRuns, others?: readonly ToolCharge[]): number;
  /** US dollars of the same before the group's ratio, not rounded. */
  dollars(quoted: QuotedPrice, usage: PricedUsage, runs?: PricedRuns): number;
}

/** Of tasks whose model has no price per call. */
export const unsetTaskPrice: CallPrice = { kind: 'call', modelPrice: 0.1 };

export function createQuotes(settings: Settings): Quotes {
  let revision = -1;
  let prices = new Map<string, Price | null>();
  let unset = new Map<string, Price>();
  let tools = new Map<string, ToolPrices>();
  let maps: PriceMaps;

  // Prices are looked up once per model until any setting changes: costs are cached on the price object.
  function refresh(): void {
    if (revision === settings.revision) return;
    revision = settings.revision;
    prices = new Map();
    unset = new Map();
    tools = new Map();
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
      throw priceError(model, user);
    }
    const known = unset.get(model) ?? unsetPrice(model, maps);
    if (unset.size < 10_000) unset.set(model, known);
    return known;
  }

  function toolPrices(model: string): ToolPrices {
    refresh();
    const known = tools.get(model) ?? toolPricesOf(model, settings.get('ToolPrice'));
    if (tools.size < 10_000) tools.set(model, known);
    return known;
  }

  function quote(price: Price, model: string, group: string): QuotedPrice {
    return { price, groupRatio: ratioOfGroup(settings, group), quotaPerUnit: settings.get('QuotaPerUnit'), tools: toolPrices(model) };
  }

  return {
    ...createTuningQuotes(settings, quote, priceError),
    priceOf: (model, group, user) => quote(priceFor(model, user), model, group),
    knownPriceOf(model, group) {
      const price = knownPrice(model);
      return price === null ? null : quote(price, model, group);
    },
    priceOfBatch: (model, group, user) => quote(batchPrice(priceFor(model, user)), model, group),
    priceOfTask(model, group) {
      refresh();
      const found = prices.get(model) ?? findPrice(model, maps);
      return quote(found?.kind === 'call' ? found : unsetTaskPrice, model, group);
    },
    priceOfVideo(model, group, user) {
      // Tokens of a video are known when it is made, and nobody could reserve for it.
      if (knownPrice(model)?.kind === 'usage') throw new AppError('model_makes_no_videos', { model }, { field: 'model' });
      const price = priceFor(model, user);
      return quote(videoPrice(price.kind === 'call' ? price : unsetTaskPrice), model, group);
    },
    reserveFor,
    affordable,
    charge: (quoted, usage, runs, others) => quotaWithTools(usage, quoted.price, termsOf(quoted, runs, others)),
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

/** What it costs beside tokens, by the prices of that model. */
function termsOf(
  { groupRatio, quotaPerUnit, tools: prices }: QuotedPrice,
  runs: PricedRuns | undefined,
  others: readonly ToolCharge[] = noTools,
) {
  const tools = runs === undefined || prices === undefined ? noTools : toolCharges(runs, prices);
  return { groupRatio, quotaPerUnit, tools: others.length === 0 ? tools : [...tools, ...others] };
}

/** A prompt that is counted so much below a bound may be beyond it as its provider counts. */
const countingError = 1.1;

/** A tier may cost more of one kind of tokens and less of another: whichever of both prices is higher. */
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
    // A class of its own among what is left by the one before.
    const seen = prompt.image ?? 0;
    if (seen > 0 && price.imageInputRatio > 1) usage.imageInputTokens = Math.min(seen, promptTokens);
    if (promptRatio(price, cacheWrite) > 1) {
      // What is audio is not written as well, or costs less than it does as audio.
      const written = promptTokens - (usage.audioInputTokens ?? 0);
      usage[cacheWrite === 'cacheWrite1h' ? 'cacheCreation1hTokens' : 'cacheCreationTokens'] = written;
    }
    const dearest = dearestOutput(price, prompt);
    if (dearest !== null) usage[dearest] = completionTokens;
  }
  return Math.max(1, quotaWithTools(usage, price, termsOf(quoted, prompt.runs)));
}

/** What all of the output may be, where that costs more than text: only the response tells what it is. Null: text. */
function dearestOutput(price: UsagePrice, { isSpoken, made, units }: PromptSize): 'audioOutputTokens' | 'imageOutputTokens' | null {
  const spoken = isSpoken ? price.audioOutputRatio : 0;
  // Sounds and transcripts are made without pictures; what a model writes may have some.
  const drawn = made === undefined || units?.kind === 'image' ? price.imageOutputRatio : 0;
  if (Math.max(spoken, drawn) <= price.completionRatio) return null;
  return drawn > spoken ? 'imageOutputTokens' : 'audioOutputTokens';
}

/** Its model draws, and what it draws costs more than what it writes. */
export function drawsDearer(price: Price): boolean {
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
