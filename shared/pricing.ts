// What a call costs: pure, exact, the same on the server (charge) and in the console (receipt).
//
// By usage: quota = (input not cached + cached × cache ratio + cache writes × cache creation ratio
//                    + completion × completion ratio) × model ratio × group ratio
// Per call: quota = price × quota per unit × group ratio
// Rounded up, so at least 1 whenever tokens were used and neither the model's nor the group's ratio is 0.
import { add, ceiling, decimalOf, decimalText, digitsAt, multiply, subtract } from '#shared/decimal.ts';
import type { Decimal } from '#shared/decimal.ts';
import { completionRatioOf, pricedName } from '#shared/pricing-rules.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import type { NumberMap } from '#shared/setting-kinds.ts';
import { inputTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';

/** Option maps that prices come from. */
export interface PriceMaps {
  /** USD per call. */
  modelPrice: NumberMap;
  modelRatio: NumberMap;
  completionRatio: NumberMap;
  cacheRatio: NumberMap;
  /** Not an option; 1.25 for models that are not in it. */
  cacheCreationRatio?: NumberMap;
}

/** Ratio 1 is 0.002 USD per 1,000 input tokens. Ratios are numbers from 0 up. */
export type Price =
  | { kind: 'usage'; modelRatio: number; completionRatio: number; cacheRatio: number; cacheCreationRatio: number }
  /** USD per call. */
  | { kind: 'call'; modelPrice: number };

/** Tokens of a call: whole numbers from 0 up. */
export interface PricedUsage {
  /** All input, cached tokens and cache writes included. */
  promptTokens: number;
  completionTokens: number;
  /** Of the input: read from the provider's cache. */
  cachedTokens?: number;
  /** Of the input: written to the provider's cache. */
  cacheCreationTokens?: number;
}

/** The price classes of a usage as they are charged. */
export function pricedUsage(usage: Readonly<TokenUsage>): PricedUsage {
  return {
    promptTokens: inputTokens(usage),
    completionTokens: usage.output,
    cachedTokens: usage.cacheRead,
    cacheCreationTokens: usage.cacheWrite5m + usage.cacheWrite1h,
  };
}

export interface ReceiptLine {
  part: 'prompt' | 'cached' | 'cache_creation' | 'completion' | 'call';
  /** Tokens, or 1 call. */
  count: number;
  /** Factor of this part; the USD price of a call. */
  ratio: number;
  /** count × ratio, exact. */
  units: string;
}

/** How a charge comes about. Amounts are exact decimal texts: subtotal × factor + rounding = quota. */
export interface Receipt {
  lines: ReceiptLine[];
  /** Sum of the lines' units. */
  subtotal: string;
  /** Model ratio × group ratio, or quota per unit × group ratio. */
  factor: string;
  /** subtotal × factor. */
  exact: string;
  /** What rounding up (or the least charge of 1) added. */
  rounding: string;
  quota: number;
}

export interface Cost {
  quota: number;
  receipt(): Receipt;
}

/** Model ratio of a model that has neither ratio nor price, where those are allowed (self-use mode). */
export const unsetModelRatio = 37.5;
const defaultCacheCreationRatio = 1.25;

/** The price of a model by the name that the client used; null when none is set. Keep the result: costs are cached on it. */
export function findPrice(model: string, maps: PriceMaps): Price | null {
  const name = pricedName(model);
  const modelPrice = maps.modelPrice[name];
  if (modelPrice !== undefined) return { kind: 'call', modelPrice };
  const modelRatio = maps.modelRatio[name];
  return modelRatio === undefined ? null : usagePrice(name, modelRatio, maps);
}

/** The price of a model without one, where that is allowed. */
export function unsetPrice(model: string, maps: PriceMaps): Price {
  return usagePrice(pricedName(model), unsetModelRatio, maps);
}

function usagePrice(name: string, modelRatio: number, maps: PriceMaps): Price {
  return {
    kind: 'usage',
    modelRatio,
    completionRatio: completionRatioOf(name, maps.completionRatio),
    cacheRatio: maps.cacheRatio[name] ?? 1,
    cacheCreationRatio: maps.cacheCreationRatio?.[name] ?? defaultCacheCreationRatio,
  };
}

/**
 * What a call costs, in quota. A call without any token costs nothing, also at a price per call: nothing came of it.
 * @param groupRatio factor of the group, from 0 up
 * @param quotaPerUnit quota of one US dollar
 * @throws {RangeError} when a number of tokens is not a whole number from 0 up
 */
export function costOf(usage: PricedUsage, price: Price, groupRatio: number, quotaPerUnit: number = defaultQuotaPerUnit): Cost {
  const quota = quotaOf(usage, price, groupRatio, quotaPerUnit);
  return { quota, receipt: () => receiptOf(usage, price, { groupRatio, quotaPerUnit, quota }) };
}

/** `costOf(…).quota`. */
export function quotaOf(usage: PricedUsage, price: Price, groupRatio: number, quotaPerUnit: number = defaultQuotaPerUnit): number {
  const { prompt, cached, written, completion } = partsOf(usage);
  const tariff = tariffOf(price, groupRatio, quotaPerUnit);
  if (tariff.isFree || prompt + cached + written + completion === 0) return 0;
  if (price.kind === 'call') return tariff.perCall;
  const { rates } = tariff;
  if (rates !== null) {
    const sum = prompt * rates.prompt + cached * rates.cached + written * rates.written + completion * rates.completion;
    // All parts are whole and not negative: when the sum is a safe integer, every step to it was exact.
    if (sum <= Number.MAX_SAFE_INTEGER) {
      const rest = sum % rates.unit;
      return Math.max(1, (sum - rest) / rates.unit + (rest > 0 ? 1 : 0));
    }
  }
  const { exact } = tariff;
  const sum =
    BigInt(prompt) * exact.prompt + BigInt(cached) * exact.cached + BigInt(written) * exact.written + BigInt(completion) * exact.completion;
  return bounded((sum + exact.unit - 1n) / exact.unit);
}

interface Rates<N> {
  prompt: N;
  cached: N;
  written: N;
  completion: N;
  /** What the rates are multiples of: 1 quota. */
  unit: N;
}

/** A price at a group's ratio, as whole numbers. */
interface Tariff {
  groupRatio: number;
  quotaPerUnit: number;
  isFree: boolean;
  perCall: number;
  exact: Rates<bigint>;
  /** The same as numbers, when they are small enough. */
  rates: Rates<number> | null;
}

const tariffs = new WeakMap<Price, Tariff>();

/** A model is mostly used by one group for a while, so the last tariff of a price is enough. */
function tariffOf(price: Price, groupRatio: number, quotaPerUnit: number): Tariff {
  const known = tariffs.get(price);
  if (known !== undefined && known.groupRatio === groupRatio && known.quotaPerUnit === quotaPerUnit) return known;
  const tariff = makeTariff(price, groupRatio, quotaPerUnit);
  tariffs.set(price, tariff);
  return tariff;
}

function makeTariff(price: Price, groupRatio: number, quotaPerUnit: number): Tariff {
  const factor = factorOf(price, groupRatio, quotaPerUnit);
  if (price.kind === 'call') {
    const exact = { prompt: 0n, cached: 0n, written: 0n, completion: 0n, unit: 1n };
    const amount = multiply(decimalOf(price.modelPrice), factor);
    return { groupRatio, quotaPerUnit, isFree: amount.digits === 0n, perCall: bounded(ceiling(amount)), exact, rates: null };
  }
  const decimals = {
    prompt: factor,
    cached: multiply(factor, decimalOf(price.cacheRatio)),
    written: multiply(factor, decimalOf(price.cacheCreationRatio)),
    completion: multiply(factor, decimalOf(price.completionRatio)),
  };
  const scale = Math.max(...Object.values(decimals).map((decimal) => decimal.scale));
  const exact = {
    prompt: digitsAt(decimals.prompt, scale),
    cached: digitsAt(decimals.cached, scale),
    written: digitsAt(decimals.written, scale),
    completion: digitsAt(decimals.completion, scale),
    unit: 10n ** BigInt(scale),
  };
  return { groupRatio, quotaPerUnit, isFree: factor.digits === 0n, perCall: 0, exact, rates: asNumbers(exact) };
}

function factorOf(price: Price, groupRatio: number, quotaPerUnit: number): Decimal {
  return multiply(decimalOf(price.kind === 'call' ? quotaPerUnit : price.modelRatio), decimalOf(groupRatio));
}

function asNumbers(exact: Rates<bigint>): Rates<number> | null {
  const isSmall = Object.values(exact).every((rate: bigint) => rate <= BigInt(Number.MAX_SAFE_INTEGER));
  if (!isSmall) return null;
  return {
    prompt: Number(exact.prompt),
    cached: Number(exact.cached),
    written: Number(exact.written),
    completion: Number(exact.completion),
    unit: Number(exact.unit),
  };
}

/** Disjoint parts of the tokens. Providers that report more cached tokens than input mean the input. */
function partsOf(usage: PricedUsage): { prompt: number; cached: number; written: number; completion: number } {
  const { promptTokens, completionTokens, cachedTokens = 0, cacheCreationTokens = 0 } = usage;
  if (!(isCount(promptTokens) && isCount(completionTokens) && isCount(cachedTokens) && isCount(cacheCreationTokens))) {
    throw new RangeError(`Not a number of tokens in ${JSON.stringify(usage)}`);
  }
  const cached = Math.min(cachedTokens, promptTokens);
  const written = Math.min(cacheCreationTokens, promptTokens - cached);
  return { prompt: promptTokens - cached - written, cached, written, completion: completionTokens };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function bounded(quota: bigint): number {
  return quota > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Math.max(1, Number(quota));
}

function receiptOf(
  usage: PricedUsage,
  price: Price,
  { groupRatio, quotaPerUnit, quota }: { groupRatio: number; quotaPerUnit: number; quota: number },
): Receipt {
  const lines = linesOf(usage, price);
  let subtotal: Decimal = { digits: 0n, scale: 0 };
  for (const line of lines) subtotal = add(subtotal, unitsOf(line));
  const factor = factorOf(price, groupRatio, quotaPerUnit);
  const exact = multiply(subtotal, factor);
  return {
    lines: lines.map((line) => ({ ...line, units: decimalText(unitsOf(line)) })),
    subtotal: decimalText(subtotal),
    factor: decimalText(factor),
    exact: decimalText(exact),
    rounding: decimalText(subtract(decimalOf(quota), exact)),
    quota,
  };
}

function unitsOf(line: Omit<ReceiptLine, 'units'>): Decimal {
  return multiply(decimalOf(line.count), decimalOf(line.ratio));
}

function linesOf(usage: PricedUsage, price: Price): Omit<ReceiptLine, 'units'>[] {
  const { prompt, cached, written, completion } = partsOf(usage);
  const isEmpty = prompt + cached + written + completion === 0;
  if (price.kind === 'call') return isEmpty ? [] : [{ part: 'call', count: 1, ratio: price.modelPrice }];
  const lines: Omit<ReceiptLine, 'units'>[] = [
    { part: 'prompt', count: prompt, ratio: 1 },
    { part: 'cached', count: cached, ratio: price.cacheRatio },
    { part: 'cache_creation', count: written, ratio: price.cacheCreationRatio },
    { part: 'completion', count: completion, ratio: price.completionRatio },
  ];
  return lines.filter((line) => line.count > 0);
}
