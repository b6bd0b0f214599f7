// What a top-up costs: units × price × ratio of the user's group, exact, rounded half up to whole cents.
import { decimalOf } from './decimal.ts';

export interface TopUpTerms {
  /** Amounts are whole dollars; otherwise quota units. Option `DisplayInCurrencyEnabled`. */
  inCurrency: boolean;
  /** Option `QuotaPerUnit`. */
  quotaPerUnit: number;
  /** Of one dollar, in the currency that is paid with. Option `Price`. */
  price: number;
  /** Of the user's group; 1 where none is set, and in place of 0. */
  ratio: number;
  /** Dollars. Option `MinTopUp`. */
  minimum: number;
}

/** Largest price of an order: a hundred million. */
const mostCents = 10_000_000_000n;

/** The factor of a group. @param ratios option `TopupGroupRatio` */
export function topUpRatio(ratios: Readonly<Record<string, number>>, group: string): number {
  const ratio = ratios[group] ?? 1;
  return ratio === 0 ? 1 : ratio;
}

/** The smallest amount, in the unit that amounts are given in. */
export function smallestTopUp({ inCurrency, quotaPerUnit, minimum }: TopUpTerms): number {
  return inCurrency ? minimum : Math.ceil(minimum * quotaPerUnit);
}

/** What is added to the balance, in quota. */
export function topUpQuota(amount: number, { inCurrency, quotaPerUnit }: TopUpTerms): number {
  return inCurrency ? Math.floor(amount * quotaPerUnit) : amount;
}

/** Cents; null for an amount beyond all that is sold. */
export function topUpCents(amount: number, terms: TopUpTerms): number | null {
  const quota = topUpQuota(amount, terms);
  if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(quota)) return null;
  const [price, ratio, perUnit] = [decimalOf(terms.price), decimalOf(terms.ratio), decimalOf(terms.inCurrency ? 1 : terms.quotaPerUnit)];
  const numerator = BigInt(amount) * price.digits * ratio.digits * 100n * 10n ** BigInt(perUnit.scale);
  const denominator = perUnit.digits * 10n ** BigInt(price.scale + ratio.scale);
  const cents = (2n * numerator + denominator) / (2n * denominator);
  return cents > mostCents ? null : Number(cents);
}

/** `138.70` */
export function centsText(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** Cents of `138.70`, `138.7` or `138.700`; null when it is no such amount. */
export function centsOf(text: string): number | null {
  const parts = /^(\d{1,9})(?:\.(\d{1,2})0*)?$/.exec(text);
  return parts === null ? null : Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
}
