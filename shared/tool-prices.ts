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
 * The vendors' list prices in November 2026: OpenAI, Anthropic, Google. `kind` or `kind:beginning of a model's name*`; the longest
 * beginning wins. A container for code is billed by the session or by time: these are its least prices.
 */
export const listToolPrices: NumberMap = {
  web_search: 10,
  'web_search:gpt-4o*': 25,
  'web_search:gpt-4.1*': 25,
  'web_search:gemini*': 14,
  'web_search:gemini-1*': 35,
  'web_search:gemini-2*': 35,
  'web_search:sonar*': 5,
  'web_search:sonar-pro*': 6,
  web_fetch: 0,
  code_execution: 30,
  'code_execution:claude*': 5,
  'code_execution:gemini*': 0,
  file_search: 2.5,
  'file_search:gemini*': 0,
  maps: 25,
  mcp: 0,
  tool_search: 0,
};

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
