// Prices of runs of the provider's tools, in addition to the tokens.
import { add, type Decimal, decimalOf, multiply } from '#shared/decimal.ts';
import {
  type HostedCalls,
  type HostedKind,
  hostedKinds,
  type HostedVariants,
  isPricedTool,
  kindOfPriced,
  type PricedRuns,
  type PricedTool,
  pricedTools,
} from '#shared/hosted-tools.ts';
import type { NumberMap } from '#shared/setting-values.ts';

/** USD per 1,000 runs; a kind that is missing has no price, a variant has its kind's. */
export type ToolPrices = Readonly<Partial<Record<PricedTool, number>>>;

/** Runs of one tool, at a price in USD per 1,000 of them. */
export interface ToolCharge {
  kind: PricedTool;
  calls: number;
  price: number;
}

/**
 * By `tool`, or `tool:beginning of a model's name*`; the longest beginning wins. What the vendors list is in
 * `server/settings/data/tool-price.json`.
 */
export function toolPricesOf(model: string, prices: NumberMap): ToolPrices {
  const found: Partial<Record<PricedTool, number>> = {};
  for (const tool of pricedTools) {
    const price = priceIn(tool, model, prices);
    if (price !== undefined) found[tool] = price;
  }
  return found;
}

/** `web_search`, or `web_search:gpt-5*`. */
export function isToolPriceName(name: string): boolean {
  const { tool, beginning } = partsOf(name);
  return isPricedTool(tool) && (beginning === undefined || (beginning.length > 1 && beginning.endsWith('*')));
}

function priceIn(tool: PricedTool, model: string, prices: NumberMap): number | undefined {
  let price = prices[tool];
  let longest = -1;
  for (const [key, value] of Object.entries(prices)) {
    const { tool: name, beginning = '' } = partsOf(key);
    if (name !== tool || !beginning.endsWith('*')) continue;
    const length = beginning.length - 1;
    if (length > longest && model.startsWith(beginning.slice(0, -1))) [price, longest] = [value, length];
  }
  return price;
}

/** Names of models may have colons themselves. */
function partsOf(name: string): { tool: string; beginning?: string } {
  const at = name.indexOf(':');
  return at < 0 ? { tool: name } : { tool: name.slice(0, at), beginning: name.slice(at + 1) };
}

/** Returns whether runs of a tool are charged, if requested in one of these variants. */
export function isPriced(kind: HostedKind, prices: ToolPrices, variants: HostedVariants): boolean {
  return prices[costliestVariant(kind, prices, variants)] !== undefined;
}

/** Returns runs by their price. Of several requested variants the most expensive counts: no provider reports which of them ran. */
export function pricedRuns(calls: HostedCalls, prices: ToolPrices, variants: HostedVariants = {}): PricedRuns {
  const runs: Partial<Record<PricedTool, number>> = {};
  for (const kind of hostedKinds) {
    const count = calls[kind] ?? 0;
    if (count > 0) runs[costliestVariant(kind, prices, variants)] = count;
  }
  return runs;
}

/** A variant has to have a price of its own. */
function costliestVariant(kind: HostedKind, prices: ToolPrices, variants: HostedVariants): PricedTool {
  let found: PricedTool = kind;
  if (kind !== 'web_search') return found;
  for (const variant of variants[kind] ?? []) {
    const price = prices[`${kind}_${variant}`];
    if (price !== undefined && (found === kind || price > (prices[found] ?? 0))) found = `${kind}_${variant}`;
  }
  return found;
}

/** The runs that have a price. */
export function toolCharges(runs: PricedRuns, prices: ToolPrices): ToolCharge[] {
  const charges: ToolCharge[] = [];
  // Most calls run none.
  if (Object.keys(runs).length === 0) return charges;
  for (const tool of pricedTools) {
    const calls = runs[tool] ?? 0;
    const price = calls > 0 ? (prices[tool] ?? prices[kindOfPriced(tool)]) : undefined;
    if (price !== undefined) charges.push({ kind: tool, calls, price });
  }
  return charges;
}

/** In quota, exact. */
export function toolsAmount(tools: readonly ToolCharge[], groupRatio: number, quotaPerUnit: number): Decimal {
  return tools.reduce((sum, tool) => add(sum, toolAmount(tool, groupRatio, quotaPerUnit)), decimalOf(0));
}

export function toolAmount({ calls, price }: ToolCharge, groupRatio: number, quotaPerUnit: number): Decimal {
  return [price, 0.001, quotaPerUnit, groupRatio].map(decimalOf).reduce(multiply, decimalOf(calls));
}
