// What runs of the provider's tools cost beside the tokens.
import { add, decimalOf, multiply } from '#shared/decimal.ts';
import type { Decimal } from '#shared/decimal.ts';
import type { HostedCalls, HostedKind } from '#shared/hosted-tools.ts';
import { hostedKinds } from '#shared/hosted-tools.ts';
import type { NumberMap } from '#shared/setting-values.ts';

/** USD per 1,000 runs, by kind; a kind that is missing has no price. */
export type ToolPrices = Readonly<Partial<Record<HostedKind, number>>>;

/** Runs of one kind of tool, at a price in USD per 1,000 of them. */
export interface ToolCharge {
  kind: HostedKind;
  calls: number;
  price: number;
}

/**
 * By `kind`, or `kind:beginning of a model's name*`; the longest beginning wins. What the vendors list is in
 * `server/settings/data/tool-price.json`.
 */
export function toolPricesOf(model: string, prices: NumberMap): ToolPrices {
  const found: Partial<Record<HostedKind, number>> = {};
  for (const kind of hostedKinds) {
    const price = priceIn(kind, model, prices);
    if (price !== undefined) found[kind] = price;
  }
  return found;
}

function priceIn(kind: HostedKind, model: string, prices: NumberMap): number | undefined {
  let price = prices[kind];
  let longest = -1;
  for (const [key, value] of Object.entries(prices)) {
    const [name, beginning = ''] = key.split(':', 2);
    if (name !== kind || !key.endsWith('*')) continue;
    const length = beginning.length - 1;
    if (length > longest && model.startsWith(beginning.slice(0, -1))) [price, longest] = [value, length];
  }
  return price;
}

/** The runs that have a price. */
export function toolCharges(calls: HostedCalls, prices: ToolPrices): ToolCharge[] {
  return hostedKinds.flatMap((kind) => {
    const [count = 0, price] = [calls[kind], prices[kind]];
    return count > 0 && price !== undefined ? [{ kind, calls: count, price }] : [];
  });
}

/** In quota, exact. */
export function toolsAmount(tools: readonly ToolCharge[], groupRatio: number, quotaPerUnit: number): Decimal {
  return tools.reduce((sum, tool) => add(sum, toolAmount(tool, groupRatio, quotaPerUnit)), decimalOf(0));
}

export function toolAmount({ calls, price }: ToolCharge, groupRatio: number, quotaPerUnit: number): Decimal {
  return [price, 0.001, quotaPerUnit, groupRatio].map(decimalOf).reduce(multiply, decimalOf(calls));
}
