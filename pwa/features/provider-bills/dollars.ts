import type { Format } from '#pwa/ui/billing/format.ts';

/** An exact amount as it is read: cents from a cent on, else up to six places. */
export function dollars(amount: string | undefined, format: Pick<Format, 'usd' | 'price'>): string {
  if (amount === undefined) return '—';
  const value = Number(amount);
  const size = Math.abs(value);
  const text = size !== 0 && size < 0.1 ? `$${format.price(Number(size.toPrecision(3)))}` : format.usd(size);
  return value < 0 ? `\u2212${text}` : text;
}

/** With a sign, for differences. */
export function difference(amount: string | undefined, format: Pick<Format, 'usd' | 'price'>): string {
  const text = dollars(amount, format);
  return amount !== undefined && Number(amount) > 0 ? `+${text}` : text;
}
