// LiteLLM counts dollars in floating-point numbers.
import { AmountError, number } from '../sources/row-values.ts';
import type { SourceRow } from '../sources/source-database.ts';

/** Quota of an amount in dollars, rounded half up. @throws {AmountError} if it cannot be stored */
export function quotaOf(amount: number, quotaPerUnit: number): number {
  const quota = Math.floor(Number((amount * quotaPerUnit).toFixed(6)) + 0.5) + 0;
  if (!Number.isSafeInteger(quota)) throw new AmountError('A budget is too large to be stored');
  return quota;
}

/** Null if there is no budget. */
export function dollars(row: SourceRow, column: string): number | null {
  const value = row[column];
  return value === null || value === undefined ? null : number(row, column);
}

/** Unix seconds of a timestamp without zone, which is UTC; undefined if there is none. */
export function utcSeconds(row: SourceRow, column: string): number | undefined {
  const ms = utcMilliseconds(row, column);
  return ms === undefined ? undefined : Math.floor(ms / 1000);
}

export function utcMilliseconds(row: SourceRow, column: string): number | undefined {
  const value = row[column];
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'string' || value === '') return undefined;
  const hasZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(value);
  const time = Date.parse(`${value.replace(' ', 'T')}${hasZone ? '' : 'Z'}`);
  return Number.isNaN(time) ? undefined : time;
}

/** Texts of a list column. */
export function textList(row: SourceRow, column: string): string[] {
  const value = row[column];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
