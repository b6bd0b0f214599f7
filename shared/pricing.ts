// What a call costs: pure, exact, the same on the server (charge) and in the console (receipt).
//
// By usage: quota = (tokens × ratio, summed over the buckets below) × model ratio × group ratio
// Per call: quota = price × quota per unit × group ratio, for each of its units where a call may have several, by the unit's factor
// A prompt that is longer than a bound of its model makes the whole call cost other ratios (`shared/long-inputs.ts`).
// Another tier of the provider changes the model ratio (`shared/service-tiers.ts`).
// Of a video, the price of a second is that of its resolution (`shared/video-prices.ts`).
// In addition, of tools that run at the provider: quota = runs × price of 1,000 ÷ 1,000 × quota per unit × group ratio
// Rounded up, so at least 1 whenever tokens were used and neither the model's nor the group's ratio is 0.
import { add, ceiling, type Decimal, decimalOf, decimalText, digitsAt, multiply, product, subtract } from '#shared/decimal.ts';
import type { CallUnits, UnitKind } from '#shared/call-units.ts';
import { priceAt } from '#shared/price-at.ts';
import { type Bucket, buckets, countsOf, isCount, isNothing, ratioOf } from '#shared/price-buckets.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import { toolAmount, type ToolCharge, toolsAmount } from '#shared/tool-prices.ts';
import type { TierFactors } from '#shared/service-tiers.ts';
import type { VideoPrice } from '#shared/video-prices.ts';

/** Ratio 1 is 0.002 USD per 1,000 input tokens. Ratios are numbers from 0 up. */
export type Price = UsagePrice | CallPrice;

/** USD per call. */
export interface CallPrice {
  kind: 'call';
  modelPrice: number;
  /** Of a second of video, by its resolution, the lowest first; missing: the model's price is that of a second in 720p. */
  videos?: readonly VideoPrice[];
}

export interface UsagePrice {
  kind: 'usage';
  modelRatio: number;
  completionRatio: number;
  /** Of tokens read from the provider's cache. */
  cacheRatio: number;
  /** Of tokens written to the provider's cache for five minutes, and for an hour. */
  cacheCreationRatio: number;
  cacheCreation1hRatio: number;
  /** Of audio in the input, and in the output. */
  audioInputRatio: number;
  audioOutputRatio: number;
  /** Of pictures in the input, and in the output. */
  imageInputRatio: number;
  imageOutputRatio: number;
  /** Of audio and of pictures that are read from the cache; missing: `cacheRatio`. */
  audioCacheRatio?: number;
  imageCacheRatio?: number;
  /** Of plain input; missing: 1. */
  inputRatio?: number;
  /** What takes the price's place where the input has more tokens than `above`, the highest bound first; missing: nothing does. */
  longInputs?: readonly { above: number; price: UsagePrice }[];
  /** Prices in other tiers of the provider; missing: none. */
  tiers?: ReadonlyMap<string, UsagePrice>;
  /** The tier whose price it is: the model ratio is so many times the usual one, and `parts` have factors of their own; missing: the usual tier. */
  tier?: { name: string } & TierFactors;
}

/** Tokens of a call: whole numbers from 0 up. */
export interface PricedUsage {
  /** All input, cached tokens and cache writes included. */
  promptTokens: number;
  completionTokens: number;
  /** Of the input: read from the provider's cache, without what of it is audio or a picture. */
  cachedTokens?: number;
  audioCacheTokens?: number;
  imageCacheTokens?: number;
  /** Of the input: written to the provider's cache for five minutes, and for an hour. */
  cacheCreationTokens?: number;
  cacheCreation1hTokens?: number;
  /** Of the input that was neither read from the cache nor written to it, and of the output: audio. */
  audioInputTokens?: number;
  audioOutputTokens?: number;
  /** The same of pictures. */
  imageInputTokens?: number;
  imageOutputTokens?: number;
  /** What a price per call is for; missing: the call. */
  units?: CallUnits;
  /** Tokens by which the input counts as long; missing: all of it. */
  longestInput?: number;
  /** Tier of the provider (`shared/service-tiers.ts`); missing: the usual one. */
  tier?: string;
}

export interface ReceiptLine {
  part: Bucket['part'] | 'call' | UnitKind;
  /** Tokens, 1 call, or its units. */
  count: number;
  /** Factor of this part; the USD price of a call or unit. */
  ratio: number;
  /** count × ratio, exact. */
  units: string;
}

/** Runs of a tool at the provider, and what they cost in quota, exact. */
export interface ToolLine extends ToolCharge {
  amount: string;
}

/** How a charge comes about. Amounts are exact decimal texts: subtotal × factor + the tools' amounts + rounding = quota. */
export interface Receipt {
  lines: ReceiptLine[];
  tools: ToolLine[];
  /** Sum of the lines' units. */
  subtotal: string;
  /** Model ratio × group ratio, or quota per unit × group ratio. */
  factor: string;
  /** subtotal × factor + the tools' amounts. */
  exact: string;
  /** What rounding up (or the least charge of 1) added. */
  rounding: string;
  quota: number;
}

export interface Cost {
  quota: number;
  receipt(): Receipt;
}

/** At which group's ratio, how much quota a US dollar is, and what tools at the provider have run. */
export interface CostTerms {
  /** Factor of the group, from 0 up. */
  groupRatio: number;
  quotaPerUnit?: number;
  tools?: readonly ToolCharge[];
}

/**
 * What a call costs, in quota. A call without any token costs nothing, also at a price per call: nothing came of it. Tools that ran
 * cost their price all the same.
 * @throws {RangeError} when a number of tokens is not a whole number from 0 up
 */
export function costWithTools(usage: PricedUsage, price: Price, terms: CostTerms): Cost {
  const { groupRatio, quotaPerUnit = defaultQuotaPerUnit, tools = [] } = terms;
  const quota = quotaWithTools(usage, price, { groupRatio, quotaPerUnit, tools });
  return { quota, receipt: () => receiptOf(usage, price, { groupRatio, quotaPerUnit, tools, quota }) };
}

/** `costWithTools` of a call in which no tool ran. */
export function costOf(usage: PricedUsage, price: Price, groupRatio: number, quotaPerUnit: number = defaultQuotaPerUnit): Cost {
  return costWithTools(usage, price, { groupRatio, quotaPerUnit });
}

/** `costWithTools(…).quota`. */
export function quotaWithTools(
  usage: PricedUsage,
  price: Price,
  { groupRatio, quotaPerUnit = defaultQuotaPerUnit, tools = [] }: CostTerms,
): number {
  if (tools.length === 0) return quotaOf(usage, price, groupRatio, quotaPerUnit);
  const exact = add(
    exactOf(linesOf(usage, price), factorOf(priceAt(price, usage), groupRatio, quotaPerUnit)),
    toolsAmount(tools, groupRatio, quotaPerUnit),
  );
  return exact.digits === 0n ? 0 : bounded(ceiling(exact));
}

function exactOf(lines: readonly Omit<ReceiptLine, 'units'>[], factor: Decimal): Decimal {
  return multiply(
    lines.reduce((sum, line) => add(sum, unitsOf(line)), nothing),
    factor,
  );
}

const nothing: Decimal = { digits: 0n, scale: 0 };

/** `costOf(…).quota`. */
export function quotaOf(usage: PricedUsage, usual: Price, groupRatio: number, quotaPerUnit: number = defaultQuotaPerUnit): number {
  const price = priceAt(usual, usage);
  const counts = countsOf(usage, ownCounts);
  const tariff = tariffOf(price, groupRatio, quotaPerUnit);
  if (tariff.isFree || isNothing(counts)) return 0;
  if (price.kind === 'call') return usage.units === undefined ? tariff.perCall : ofUnits(price, tariff, usage.units);
  const { rates, exact } = tariff;
  if (rates !== null) {
    let sum = 0;
    for (let index = 0; index < counts.length; index += 1) {
      const count = counts[index] ?? 0;
      if (count > 0) sum += count * (rates.each[index] ?? 0);
    }
    // All parts are whole and not negative: when the sum is a safe integer, every step to it was exact.
    if (sum <= Number.MAX_SAFE_INTEGER) {
      const rest = sum % rates.unit;
      return Math.max(1, (sum - rest) / rates.unit + (rest > 0 ? 1 : 0));
    }
  }
  const sum = counts.reduce((total, count, index) => total + BigInt(count) * (exact.each[index] ?? 0n), 0n);
  return bounded((sum + exact.unit - 1n) / exact.unit);
}

/** The counts of `quotaOf`, which runs several times in every call: nothing is allocated for them. */
const ownCounts: number[] = buckets.map(() => 0);

interface Rates<N> {
  /** Of each bucket. */
  each: N[];
  /** What the rates are multiples of: 1 quota. */
  unit: N;
}

/** A price at a group's ratio, as whole numbers. */
interface Tariff {
  groupRatio: number;
  quotaPerUnit: number;
  isFree: boolean;
  perCall: number;
  /** The same before it is rounded. */
  amount: Decimal;
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
    const amount = multiply(decimalOf(price.modelPrice), factor);
    const exact = { each: [], unit: 1n };
    return { groupRatio, quotaPerUnit, isFree: amount.digits === 0n, perCall: bounded(ceiling(amount)), amount, exact, rates: null };
  }
  const decimals = buckets.map((bucket) => multiply(factor, decimalOf(ratioOf(price, bucket))));
  const scale = Math.max(...decimals.map((decimal) => decimal.scale));
  const exact = { each: decimals.map((decimal) => digitsAt(decimal, scale)), unit: 10n ** BigInt(scale) };
  return { groupRatio, quotaPerUnit, isFree: factor.digits === 0n, perCall: 0, amount: nothing, exact, rates: asNumbers(exact) };
}

/** What a unit costs is a number as people read it: the model's price by the unit's factor. */
function ofUnits(price: CallPrice, { amount, groupRatio, quotaPerUnit }: Tariff, { count, factor }: CallUnits): number {
  if (!isCount(count)) throw new RangeError(`Not a number of units: ${count}`);
  if (count === 0) return 0;
  const each = factor === undefined ? amount : multiply(decimalOf(unitPrice(price, factor)), factorOf(price, groupRatio, quotaPerUnit));
  return each.digits === 0n ? 0 : bounded(ceiling(multiply(each, decimalOf(count))));
}

function unitPrice({ modelPrice }: CallPrice, factor = 1): number {
  return product(modelPrice, factor);
}

function factorOf(price: Price, groupRatio: number, quotaPerUnit: number): Decimal {
  return multiply(decimalOf(price.kind === 'call' ? quotaPerUnit : price.modelRatio), decimalOf(groupRatio));
}

function asNumbers({ each, unit }: Rates<bigint>): Rates<number> | null {
  if ([...each, unit].some((rate) => rate > BigInt(Number.MAX_SAFE_INTEGER))) return null;
  return { each: each.map(Number), unit: Number(unit) };
}

function bounded(quota: bigint): number {
  return quota > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Math.max(1, Number(quota));
}

function receiptOf(
  usage: PricedUsage,
  price: Price,
  { groupRatio, quotaPerUnit, tools, quota }: Required<CostTerms> & { quota: number },
): Receipt {
  const lines = linesOf(usage, price);
  const subtotal = lines.reduce((sum, line) => add(sum, unitsOf(line)), nothing);
  const factor = factorOf(priceAt(price, usage), groupRatio, quotaPerUnit);
  const exact = add(multiply(subtotal, factor), toolsAmount(tools, groupRatio, quotaPerUnit));
  return {
    tools: tools.map((tool) => ({ ...tool, amount: decimalText(toolAmount(tool, groupRatio, quotaPerUnit)) })),
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
  const counts = countsOf(usage);
  const charged = priceAt(price, usage);
  if (charged.kind === 'call') {
    const {
      kind: part,
      count,
      factor,
    }: Pick<CallUnits, 'count' | 'factor'> & { kind: ReceiptLine['part'] } = usage.units ?? { kind: 'call', count: 1 };
    return isNothing(counts) || count === 0 ? [] : [{ part, count, ratio: unitPrice(charged, factor) }];
  }
  const lines = buckets.map((bucket, index) => ({ part: bucket.part, count: counts[index] ?? 0, ratio: ratioOf(charged, bucket) }));
  return lines.filter((line) => line.count > 0);
}
