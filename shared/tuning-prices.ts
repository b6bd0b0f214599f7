// What training a model costs, and what its callers pay for the trained one afterwards.
import { modelFit } from '#shared/long-inputs.ts';
import type { NumberMap } from '#shared/setting-values.ts';

const entry = /^(training|input|cached|output):(\S.*)$/;

/** USD per million tokens. */
export interface TuningPrice {
  training: number;
  /** Of the trained model. */
  input: number;
  cached: number;
  output: number;
}

/** `training:gpt-4.1-mini*`: USD per million tokens, of a model or of those whose names begin so. */
export function isTuningPriceName(name: string): boolean {
  return entry.test(name);
}

/**
 * Returns the prices of training a model; null: it cannot be trained, because the cost of that or of its use is unknown. Without a price of its own,
 * cached input costs what other input does. A model's full name counts before a prefix of it, and of prefixes the longest.
 */
export function tuningPriceOf(model: string, prices: NumberMap): TuningPrice | null {
  const chosen: Partial<Record<string, { fit: number; price: number }>> = {};
  for (const [name, price] of Object.entries(prices)) {
    const [, part = '', models = ''] = entry.exec(name) ?? [];
    const fit = modelFit(model, models);
    if (fit > (chosen[part]?.fit ?? -1)) chosen[part] = { fit, price };
  }
  const { training, input, cached, output } = chosen;
  if (training === undefined || input === undefined || output === undefined) return null;
  return { training: training.price, input: input.price, cached: (cached ?? input).price, output: output.price };
}

const nameOfTrained = /^ft:(.+):[A-Za-z0-9_-]{0,64}:[A-Za-z0-9]{12}(?::ckpt-step-\d{1,12})?$/;

/** What a model was trained from for a caller, by its name here. Null: it is no such name. */
export function baseOfTrained(model: string): string | null {
  return nameOfTrained.exec(model)?.[1] ?? null;
}
