// The price list as it is looked at: from one group, searched, filtered, in its order.
import { product } from '#shared/decimal.ts';
import { type PricedTool, pricedTools } from '#shared/hosted-tools.ts';
import type { PriceUnit, PricingEntry } from '#shared/models.ts';
import { type PricesPerMillion, pricePerCall, pricesPerMillion } from '#shared/price-display.ts';
import { callableKind } from '#pwa/api/chat-models.ts';

export const defaultGroup = 'default';

export interface PriceList {
  entries: PricingEntry[];
  groupRatio: Record<string, number>;
  /** Groups that the viewer may use, and what they are called. */
  usableGroup: Record<string, string>;
}

export type Prices =
  /** USD per 1M tokens. */
  | ({ kind: 'usage' } & PricesPerMillion)
  /** USD per call. */
  | { kind: 'call'; call: number };

export function isPerCall(entry: PricingEntry): boolean {
  return entry.quota_type !== 0;
}

/** For videos the price of a call is that of a second in the resolution with the lowest price. */
export function isPerSecond(entry: PricingEntry): boolean {
  return isPerCall(entry) && entry.video_prices !== undefined;
}

/** Unit of the price, as the server charges it. A list that was stored before the server sent units falls back to an estimate. */
export function unitOf(entry: PricingEntry): PriceUnit {
  if (entry.unit !== undefined) return entry.unit;
  if (isPerSecond(entry)) return 'second';
  return isPerCall(entry) ? 'call' : 'tokens';
}

/** Kinds of models with free output: the input has the only price. */
const inputOnly: ReadonlySet<string> = new Set(['embedding', 'rerank', 'moderation']);

/** False for models that take one price, for what goes in. */
export function hasOutput(entry: PricingEntry): boolean {
  return unitOf(entry) === 'tokens' && !inputOnly.has(callableKind(entry.model_name) ?? 'chat');
}

export function pricesOf(entry: PricingEntry, groupRatio: number, quotaPerUnit: number): Prices {
  if (isPerCall(entry)) return { kind: 'call', call: pricePerCall(entry.model_price, groupRatio) };
  return { kind: 'usage', ...shown(pricesPerMillion(entry, groupRatio, quotaPerUnit)) };
}

/** Outputs of a model, each with its price: words, unless the model has no price for words and one for pictures or sound. */
export function outputsOf(entry: PricingEntry, prices: PricesPerMillion): { kind: 'text' | 'image' | 'audio'; price: number }[] {
  const { completion, drawn, spoken } = prices;
  const others = [
    ...(drawn === undefined ? [] : [{ kind: 'image' as const, price: drawn }]),
    ...(spoken === undefined ? [] : [{ kind: 'audio' as const, price: spoken }]),
  ];
  return others.length > 0 && entry.completion_ratio === 1 ? others : [{ kind: 'text', price: completion }, ...others];
}

/** A factor that a list cannot write to its end, as 25 ÷ 3, is no reason for a price of ten digits. */
const shownDigits = 6;

function shown(prices: PricesPerMillion): PricesPerMillion {
  const short = Object.entries<number>({ ...prices }).map(([part, price]): [string, number] => [
    part,
    Number(price.toPrecision(shownDigits)),
  ]);
  return { ...prices, ...Object.fromEntries<number>(short) };
}

/** Prices that not every model has, as they are listed. */
export const furtherParts = ['written', 'heard', 'cachedAudio', 'spoken', 'seen', 'cachedImage', 'drawn'] as const;
/** Those of what the model writes. What is written to the cache was read. */
const writtenParts: ReadonlySet<(typeof furtherParts)[number]> = new Set(['spoken', 'drawn']);

/** The same of prompts with more tokens than `above`, the lowest bound first. */
export function longPricesIn(entry: PricingEntry, groupRatio: number, quotaPerUnit: number): (PricesPerMillion & { above: number })[] {
  const prices = pricesPerMillion(entry, groupRatio, quotaPerUnit);
  const { prompt, cached, completion, ...further } = prices;
  return (entry.long_inputs ?? []).toReversed().map(({ above, input, output }) => ({
    above,
    ...shown({
      prompt: product(prompt, input),
      cached: product(cached, input),
      completion: product(completion, output),
      ...Object.fromEntries(
        furtherParts.flatMap((part) => {
          const price = further[part];
          return price === undefined ? [] : [[part, product(price, writtenParts.has(part) ? output : input)]];
        }),
      ),
    }),
  }));
}

/** USD per 1,000 runs of each tool at the provider, in the order of the receipt. */
export function toolPricesIn({ tool_prices: prices = {} }: PricingEntry, groupRatio: number): { kind: PricedTool; price: number }[] {
  return pricedTools.flatMap((kind) => {
    const price = prices[kind];
    return price === undefined ? [] : [{ kind, price: product(price, groupRatio) }];
  });
}

/** Without a price the model cannot be called. A list that was stored before missing prices were marked says nothing. */
export function hasPrice(entry: PricingEntry): boolean {
  return entry.has_price !== false;
}

export function isAvailableIn(entry: PricingEntry, group: string): boolean {
  return hasPrice(entry) && entry.enable_groups.includes(group);
}

/** Price list of a user whose calls need no price. */
export function withoutPriceNeeded(list: PriceList): PriceList {
  return { ...list, entries: list.entries.map((entry) => ({ ...entry, has_price: true })) };
}

/** The group's ratio; 1 for a group that the list does not know. */
export function ratioOf(list: PriceList, group: string): number {
  return list.groupRatio[group] ?? 1;
}

/** Groups to look from: those one may use that have a ratio. */
export function groupsOf(list: PriceList): string[] {
  return Object.keys(list.usableGroup)
    .filter((group) => list.groupRatio[group] !== undefined)
    .sort();
}

export interface PriceFilters {
  keyword: string;
  billing: 'usage' | 'call' | undefined;
  /** Only what this group may use. */
  availableIn: string | undefined;
}

export function filterEntries(entries: readonly PricingEntry[], { keyword, billing, availableIn }: PriceFilters): PricingEntry[] {
  const words = keyword
    .split(/\s+/)
    .map(plain)
    .filter((word) => word !== '');
  return entries.filter((entry) => {
    if (billing !== undefined && isPerCall(entry) !== (billing === 'call')) return false;
    if (availableIn !== undefined && !isAvailableIn(entry, availableIn)) return false;
    const name = plain(entry.model_name);
    return words.every((word) => name.includes(word));
  });
}

/** Names beginning with `gpt` first, then by name; the same name by kind of billing. */
export function inOrder(entries: readonly PricingEntry[]): PricingEntry[] {
  const isGpt = (entry: PricingEntry): boolean => entry.model_name.startsWith('gpt');
  return entries.toSorted(
    (one, other) =>
      Number(isGpt(other)) - Number(isGpt(one)) || compare(one.model_name, other.model_name) || one.quota_type - other.quota_type,
  );
}

export type RatioTier = 'base' | 'raised' | 'high' | 'very_high';

/** Above 1, above 3, above 5. */
export function tierOf(ratio: number): RatioTier {
  if (ratio > 5) return 'very_high';
  if (ratio > 3) return 'high';
  return ratio > 1 ? 'raised' : 'base';
}

/** Case and what separates the parts of a name do not count: `gpt4o` finds `gpt-4o`. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[-_./:\s]/g, '');
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
