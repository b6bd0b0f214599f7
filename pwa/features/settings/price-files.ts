// Prices as a file: what the table holds as JSON, and what another installation or an earlier day held. What is read becomes an
// edit like any other: it is seen as changes before it is saved.
import { z } from 'zod/mini';
import { type PriceKey, priceKeys, type PriceMaps } from './price-rows.ts';

/** Bytes; the maps of all models that there are take a hundredth of it. */
export const largestFile = 2_000_000;

const Prices = z.record(z.string().check(z.minLength(1), z.maxLength(200)), z.number().check(z.minimum(0)));
const PriceFile = z.object({
  ModelPrice: z.optional(Prices),
  ModelRatio: z.optional(Prices),
  CompletionRatio: z.optional(Prices),
  CacheRatio: z.optional(Prices),
  CreateCacheRatio: z.optional(Prices),
  CreateCache1hRatio: z.optional(Prices),
  AudioRatio: z.optional(Prices),
  AudioCompletionRatio: z.optional(Prices),
  AudioCacheRatio: z.optional(Prices),
  ImageRatio: z.optional(Prices),
  ImageCompletionRatio: z.optional(Prices),
});

export function priceFileText(maps: PriceMaps): string {
  const sorted = (key: PriceKey) => Object.fromEntries([...maps[key]].toSorted(([one], [other]) => one.localeCompare(other)));
  return `${JSON.stringify(Object.fromEntries(priceKeys.map((key) => [key, sorted(key)])), null, 2)}\n`;
}

/** The texts of the maps that the file has; the others stay. Undefined: it is no such file. */
export function readPriceFile(text: string): Map<PriceKey, string> | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = PriceFile.safeParse(found);
  if (data === undefined) return undefined;
  const texts = new Map<PriceKey, string>();
  for (const key of priceKeys) if (data[key] !== undefined) texts.set(key, JSON.stringify(data[key], null, 2));
  return texts.size === 0 ? undefined : texts;
}

/** Whether these texts say what the maps hold. */
export function isSamePrices(texts: ReadonlyMap<PriceKey, string>, maps: PriceMaps): boolean {
  return [...texts].every(([key, text]) => {
    const entries = Object.entries(Prices.parse(JSON.parse(text)));
    return entries.length === maps[key].size && entries.every(([model, value]) => Number(maps[key].get(model)) === value);
  });
}
