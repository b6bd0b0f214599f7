// A price catalogue as it is read: prices of models by provider, or the price maps of another Tidegate.
import { decimalOf, multiply, product, quotient } from '#shared/decimal.ts';
import type { CatalogueFormat } from '#shared/price-sync.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { PriceKey } from '../price-lines.ts';

/** Kinds of tokens, in US dollars per million. */
export const tokenKinds = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'audioInput',
  'audioOutput',
  'audioCacheRead',
  'imageInput',
  'imageOutput',
] as const;
export type TokenKind = (typeof tokenKinds)[number];
export type TokenPrices = Partial<Record<TokenKind, number>>;

/** Prices of a model in a catalogue. Absent ones are unknown, not zero. */
export interface CataloguePrices {
  /** Present only with a price of input. */
  tokens?: TokenPrices & { input: number };
  /** US dollars per picture, search or minute. */
  perCall?: number;
  /** US dollars per second of video, by the shorter side in pixels. */
  perSecond?: readonly { height: number; usd: number }[];
  /** Prices of prompts of more than `above` tokens. */
  long?: readonly ({ above: number } & TokenPrices)[];
  /** Prices by service tier. */
  tiers?: Readonly<Record<string, TokenPrices>>;
  /** Fields with a price that Tidegate has no place for. */
  unplaced: readonly string[];
}

export interface Offer {
  /** As the catalogue has it. */
  model: string;
  provider: string;
  prices: CataloguePrices;
}

/** Price maps of another Tidegate, with its quota per US dollar; if undefined, the same as here. */
export interface OwnList {
  maps: Partial<Record<PriceKey, NumberMap>>;
  quotaPerUnit: number | undefined;
}

export type Catalogue = { invalid: string[] } & (
  | { format: Exclude<CatalogueFormat, 'tidegate'>; offers: Offer[] }
  | { format: 'tidegate'; list: OwnList }
);

/** A price that is no number, negative, or beyond every real one. */
export class InvalidPrice extends Error {}

/** US dollars per million tokens, or per call, beyond which a price is a mistake of the catalogue. */
const [least, most] = [1e-9, 1e6];

/**
 * Returns a price multiplied exactly; undefined if there is none.
 * @throws {InvalidPrice}
 */
export function priceIn(fields: JsonObject, name: string, factor = 1): number | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new InvalidPrice(name);
  const price = product(value, factor);
  if (price !== 0 && !(price >= least && price <= most)) throw new InvalidPrice(name);
  return price;
}

/** Quotient of two prices, cut off behind the twelfth decimal place. @param below above 0 */
export function ratioOf(above: number, below: number): number {
  return quotient(decimalOf(above), decimalOf(below));
}

/** Ratio of a price per million tokens to the base of all ratios, of which 1 is one quota per token. */
export function modelRatioOf(perMillion: number, quotaPerUnit: number): number {
  return quotient(multiply(decimalOf(perMillion), decimalOf(quotaPerUnit)), decimalOf(1_000_000));
}

/** Names that are stored as names of models. */
export function isModelName(name: string): boolean {
  return name.length > 0 && name.length <= 200 && name === name.trim() && !/[\p{Cc}\p{Cs}*]/u.test(name) && name !== '__proto__';
}
