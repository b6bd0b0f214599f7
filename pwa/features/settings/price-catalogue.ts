// Prices of the providers themselves, for models without a price. The list has a date and is offered, never applied by itself.
import { completionRatioOf } from '#shared/pricing-rules.ts';
import type { PriceEdit } from './price-edits.ts';
import { exact } from './price-rows.ts';

/**
 * USD per million tokens: input, output, cached input, input written to the cache for five minutes, audio input and output, picture input
 * and output.
 */
export type CataloguePrices = Readonly<Record<string, readonly (number | null)[]>>;

/** Loaded on demand: it is no part of the screen. */
export async function readCatalogue(): Promise<CataloguePrices> {
  return (await import('./catalogue-prices.json')).default;
}

/** For each of these models that the catalogue knows, what makes its price that of the catalogue. */
export function catalogueEdits(models: readonly string[], catalogue: CataloguePrices, quotaPerUnit: number): Map<string, PriceEdit> {
  const edits = new Map<string, PriceEdit>();
  for (const model of models) {
    const [input, output, cached, written, heard, spoken, seen, drawn] = catalogue[model] ?? [];
    if (input == null || input <= 0) continue;
    const edit: PriceEdit = { ModelRatio: exact((input * quotaPerUnit) / 1_000_000) };
    const completion = output == null ? undefined : exact(output / input);
    // Where it is built in or the same, what is set does not count.
    if (completion !== undefined && completionRatioOf(model, {}) !== completion) edit.CompletionRatio = completion;
    if (cached != null) edit.CacheRatio = exact(cached / input);
    if (written != null) edit.CreateCacheRatio = exact(written / input);
    if (heard != null) edit.AudioRatio = exact(heard / input);
    if (spoken != null) edit.AudioCompletionRatio = exact(spoken / (heard ?? input));
    if (seen != null) edit.ImageRatio = exact(seen / input);
    if (drawn != null) edit.ImageCompletionRatio = exact(drawn / (seen ?? input));
    edits.set(model, edit);
  }
  return edits;
}
