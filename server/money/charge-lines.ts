// Lines of a charge for many usages: one for each token class at each price, tools, and rounding. They add up to the
// charge.
import { product } from '#shared/decimal.ts';
import type { PricedRuns } from '#shared/hosted-tools.ts';
import type { ChargeLine } from '#shared/log-event.ts';
import { priceAt } from '#shared/price-at.ts';
import { buckets, countsOf, isNothing, ratioOf } from '#shared/price-buckets.ts';
import type { Price, PricedUsage } from '#shared/pricing.ts';
import { toolCharges } from '#shared/tool-prices.ts';
import type { QuotedPrice } from './quote.ts';

/** Quota below which a remainder is a floating-point error. */
const dust = 1e-6;

export class ChargeLines {
  readonly #quoted: QuotedPrice;
  readonly #lines = new Map<string, ChargeLine>();
  /** Tokens by class, per price that applied. */
  readonly #tokens = new Map<Price, number[]>();
  #charged = 0;

  constructor(quoted: QuotedPrice) {
    this.#quoted = quoted;
  }

  /** @param charged quota, rounded up */
  add(usage: PricedUsage, runs: PricedRuns | undefined, charged: number): void {
    const { price: usual, tools = {} } = this.#quoted;
    this.#charged += charged;
    for (const { kind, calls, price } of toolCharges(runs ?? {}, tools)) this.#put(kind, calls, product(price, 0.001));
    const counts = countsOf(usage);
    if (isNothing(counts)) return;
    const price = priceAt(usual, usage);
    if (price.kind === 'call') {
      const { kind, count, factor = 1 } = usage.units ?? { kind: 'request', count: 1 };
      return this.#put(kind, count, product(price.modelPrice, factor));
    }
    const sums = this.#tokens.get(price) ?? counts.map(() => 0);
    this.#tokens.set(
      price,
      sums.map((sum, index) => sum + (counts[index] ?? 0)),
    );
  }

  /** Adds a result without reported usage, which costs `quota`. */
  addShare(quota: number): void {
    this.#charged += quota;
    this.#put('share', 1, inDollars(quota, this.#quoted));
  }

  reported(): ChargeLine[] {
    const lines = [...this.#tokens].flatMap(([price, sums]) => tokenLines(price, sums, this.#quoted));
    lines.push(...this.#lines.values());
    const rest = this.#charged - quotaOf(lines, this.#quoted);
    return rest > dust ? [...lines, each('rounding', inDollars(rest, this.#quoted))] : lines;
  }

  #put(part: string, quantity: number, price: number): void {
    const key = `${part} ${price}`;
    const before = this.#lines.get(key)?.quantity ?? 0;
    this.#lines.set(key, { part, quantity: before + quantity, price, per: 'each' });
  }
}

function tokenLines(price: Price, sums: readonly number[], { quotaPerUnit }: QuotedPrice): ChargeLine[] {
  if (price.kind === 'call') return [];
  return buckets.flatMap((bucket, index): ChargeLine[] => {
    const quantity = sums[index] ?? 0;
    const usd = product(price.modelRatio, ratioOf(price, bucket), 1_000_000 / quotaPerUnit);
    return quantity === 0 ? [] : [{ part: bucket.part, quantity, price: usd, per: 'million', source: 'upstream' }];
  });
}

type Terms = Pick<QuotedPrice, 'groupRatio' | 'quotaPerUnit'>;

/** Adds a line for the difference to the amount charged, e.g. after a low balance or an implausible usage. */
export function adjusted(lines: readonly ChargeLine[], charged: number, terms: Terms): ChargeLine[] {
  const rest = charged - quotaOf(lines, terms);
  // A remainder below one unit of quota is the rounding of the total.
  return rest > -dust && rest < 1 ? [...lines] : [...lines, each('adjusted', inDollars(rest, terms))];
}

function each(part: string, price: number): ChargeLine {
  return { part, quantity: 1, price, per: 'each' };
}

/** Converts quota to US dollars before the group's ratio. Returns 0 for a ratio of 0, which makes everything free. */
function inDollars(quota: number, { groupRatio, quotaPerUnit }: Terms): number {
  return groupRatio === 0 ? 0 : quota / quotaPerUnit / groupRatio;
}

function quotaOf(lines: readonly ChargeLine[], { groupRatio, quotaPerUnit }: Terms): number {
  const usd = lines.reduce(
    (sum, { quantity, price, per }) => sum + (per === 'million' ? (quantity * price) / 1_000_000 : quantity * price),
    0,
  );
  return usd * quotaPerUnit * groupRatio;
}

/** Price terms in a settlement event of prepaid work. */
export function termsOfEvent({ price, groupRatio, quotaPerUnit }: QuotedPrice): {
  group_ratio: number;
  tier_ratio?: number;
  quota_per_unit: number;
} {
  const factor = price.kind === 'usage' ? price.tier?.factor : undefined;
  return { group_ratio: groupRatio, quota_per_unit: quotaPerUnit, ...(factor === undefined ? {} : { tier_ratio: factor }) };
}
