import type { BillImport } from '#shared/provider-bills.ts';
import type { Format } from '#pwa/ui/billing/format.ts';

/** First and last day of an imported bill; empty if it has none. */
export function daysText({ first_day: first, last_day: last }: Pick<BillImport, 'first_day' | 'last_day'>, format: Format): string {
  return first === undefined || last === undefined ? '' : `${format.calendarDay(first)} – ${format.calendarDay(last)}`;
}
