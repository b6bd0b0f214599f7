// Amounts of quota in US dollars, for headers of every call with a budget.
import { decimalOf, decimalText, quotient } from '#shared/decimal.ts';

/** Decimal places that the fast way writes: quota per dollar is usually a divisor of this. */
const parts = 1_000_000;
/** Numbers below have at most 15 digits: the shortest text of such a quotient is the exact decimal. */
const largestExact = 1e15;

/** Never with an exponent. @param quota 0 or more */
export function dollarText(quota: number, quotaPerUnit: number): string {
  const sum = quota * (parts / quotaPerUnit);
  if (parts % quotaPerUnit === 0 && sum < largestExact && Number.isInteger(sum)) return String(sum / parts);
  return decimalText(decimalOf(quotient(decimalOf(quota), decimalOf(quotaPerUnit))));
}
