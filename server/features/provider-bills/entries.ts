// A row of a bill, whatever it was written in.
import type { BillRowFault } from '#shared/provider-bills.ts';
import { type Decimal, multiply } from '#shared/decimal.ts';
import { storedAmount } from '#shared/bill-amounts.ts';
import { type Calendar, calendarOf } from './calendar.ts';
import type { BillAccountRecord } from '#server/db/records/bill.ts';

/** What a row says of a day and model: amounts, or usage. A row with a request id says both. */
export interface BillEntry {
  day: string;
  part: 'costs' | 'usage';
  model: string;
  /** Unix seconds, if the row has a time. */
  at?: number;
  requestId?: string;
  calls?: number;
  inputTokens?: number;
  outputTokens?: number;
  /** USD. */
  amount?: Decimal;
}

/** The day is in the bill, with nothing in it. */
export interface EmptyDay {
  day: string;
  part: 'costs' | 'usage';
  isEmpty: true;
}

export interface RowFault {
  fault: BillRowFault;
  /** Content that is wrong. */
  text: string;
}

/** Null: the row is no part of the bill, such as a sum. */
export type RowResult = BillEntry | EmptyDay | RowFault | null;

export function isFault(result: NonNullable<RowResult>): result is RowFault {
  return 'fault' in result;
}

/** How an account's bill is to be read. */
export interface BillTerms {
  calendar: Calendar;
  isUtc: boolean;
  currency: string;
  rate: Decimal;
}

export function termsOf({ zone, currency, rate }: Pick<BillAccountRecord, 'zone' | 'currency' | 'rate'>): BillTerms {
  return { calendar: calendarOf(zone), isUtc: zone === 'UTC', currency, rate: storedAmount(rate) };
}

/** Undefined: the account has no rate for the currency. @param currency If empty, that of the account. */
export function inDollars(amount: Decimal, currency: string, terms: BillTerms): Decimal | undefined {
  const code = currency.trim().toUpperCase();
  if (code === '' || code === terms.currency) return multiply(amount, terms.rate);
  return code === 'USD' ? amount : undefined;
}

export const longestModel = 200;
