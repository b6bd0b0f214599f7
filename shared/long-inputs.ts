// Prices of models whose provider charges more for long prompts: the whole call by other factors, once its input is longer than a bound.
import type { NumberMap } from '#shared/setting-values.ts';

/** Factors of the usual prices of a call whose input has more than `above` tokens. */
export interface LongInput {
  above: number;
  input: number;
  output: number;
}

const entry = /^(input|output)>(\d{1,9}):(\S.*)$/;

/** `input>200000:gemini-2.5-pro*`: what input costs beyond so many tokens, of a model or of those whose names begin so. */
export function isLongInputName(name: string): boolean {
  return entry.test(name);
}

/** The highest bound first. A model's own name counts before a beginning of it, and of these the longest; a factor that is missing is 1. */
export function longInputsOf(model: string, factors: NumberMap): LongInput[] {
  let chosen: Map<number, LongInput> = new Map();
  let best = -1;
  for (const [name, factor] of Object.entries(factors)) {
    const [, side, bound, models = ''] = entry.exec(name) ?? [];
    const fit = modelFit(model, models);
    if (fit < best || fit < 0) continue;
    if (fit > best) [chosen, best] = [new Map(), fit];
    const above = Number(bound);
    const known = chosen.get(above) ?? { above, input: 1, output: 1 };
    chosen.set(above, { ...known, [side === 'output' ? 'output' : 'input']: factor });
  }
  return [...chosen.values()].toSorted((one, other) => other.above - one.above);
}

/** How well a name, or a beginning of names that ends in `*`, names the model; -1: it does not. */
export function modelFit(model: string, models: string): number {
  if (models === model) return Infinity;
  return models.endsWith('*') && model.startsWith(models.slice(0, -1)) ? models.length - 1 : -1;
}
