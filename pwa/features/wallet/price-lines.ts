// Lines of a price, as a receipt shows them: they add up to the server's price.
import { centsOf, centsText, topUpCents } from '#shared/top-up-price.ts';
import type { WalletInfo } from '#shared/wallet.ts';

export interface PriceLines {
  /** Amount × price. */
  base: string;
  /** What the group's factor takes off or adds, with its sign; undefined without one. */
  group?: string;
}

/** Null when the lines would not add up: prices have changed since they were read. */
export function priceLines(amount: number, money: string, info: WalletInfo, quotaPerUnit: number): PriceLines | null {
  const terms = { inCurrency: info.in_currency, quotaPerUnit, price: info.price, minimum: 1 };
  const [base, whole, charged] = [
    topUpCents(amount, { ...terms, ratio: 1 }),
    topUpCents(amount, { ...terms, ratio: info.group_ratio }),
    centsOf(money),
  ];
  if (base === null || whole === null || whole !== charged) return null;
  if (info.group_ratio === 1) return { base: centsText(base) };
  const change = whole - base;
  return { base: centsText(base), group: `${change < 0 ? '−' : '+'}${centsText(Math.abs(change))}` };
}
