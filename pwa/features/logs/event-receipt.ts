// How the charge of a batch, a training, a cache or a store's day comes about, from what its row remembers.
import { product } from '#shared/decimal.ts';
import type { LogEvent } from '#shared/log-event.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import type { ReceiptFactor, ReceiptLine } from '#pwa/ui/billing/receipt-sums.ts';

export type SettledEvent = Extract<LogEvent, { code: 'batch_settled' | 'tuning_settled' | 'store_day' | 'cache_ended' }>;

export interface EventReceipt {
  /** Quota. */
  charged: number;
  lines: ReceiptLine[];
  factors: ReceiptFactor[];
}

interface Words {
  part: (name: string) => string;
  /** So many bytes for so many seconds. */
  kept: (bytes: number, seconds: number) => string;
  /** Of a GB and a day. */
  perDay: (price: number) => string;
  group: () => string;
  /** Quota per dollar that amounts are shown with. */
  quotaPerUnit: number;
}

export function isSettled(event: LogEvent | undefined): event is SettledEvent {
  return (
    event?.code === 'batch_settled' || event?.code === 'tuning_settled' || event?.code === 'store_day' || event?.code === 'cache_ended'
  );
}

/** Null: the row does not know its prices. */
export function receiptOfEvent(event: SettledEvent, words: Words): EventReceipt | null {
  const ratio = event.group_ratio ?? 1;
  // A unit may have been worth something else when the row was written.
  const usd = (price: number) => product(price, (event.quota_per_unit ?? defaultQuotaPerUnit) / words.quotaPerUnit);
  const factors = ratio === 1 ? [] : [{ name: words.group(), ratio }];
  if (event.code === 'store_day') {
    const { bytes, from, until, price, amount } = event;
    const quantity = (bytes / 2 ** 30) * ((until - from) / 86_400);
    const quantityText = words.kept(bytes, until - from);
    const line = { quantity, quantityText, price: usd(price), priceText: words.perDay(usd(price)), isPerCall: true };
    return { charged: -amount, lines: [{ name: words.part('stored'), ...line }], factors };
  }
  if (event.lines === undefined) return null;
  const lines = event.lines.map(({ part, quantity, price, per, source }) => ({
    name: words.part(part),
    quantity,
    price: usd(price),
    ...(per === 'each' ? { isPerCall: true } : {}),
    source,
  }));
  return { charged: event.cost, lines, factors: lines.length === 0 ? [] : factors };
}
