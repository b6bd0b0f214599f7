// Reads values of source rows. Every column may be null or absent, and each engine has types of its own for the same value.
import { isObject } from '#server/framing/loose-json.ts';
import { SourceError, type SourceRow } from './source-database.ts';

/** An amount of money that cannot be stored exactly: the row is left out by name rather than changed. */
export class AmountError extends SourceError {
  override name = 'AmountError';
}

/** Text of a column; empty if there is none. Binary values are UTF-8 (SQLite stores JSON columns so). */
export function text(row: SourceRow, column: string): string {
  const value = row[column];
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : '';
}

/** Same without surrounding blanks: PostgreSQL pads `char(n)`. */
export function trimmed(row: SourceRow, column: string): string {
  return text(row, column).trim();
}

/** One line without control characters, cut at `longest` characters. */
export function line(row: SourceRow, column: string, longest: number): string {
  return oneLine(text(row, column), longest);
}

export function oneLine(given: string, longest: number): string {
  const tidy = given
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  const characters = Array.from(tidy);
  return characters.length <= longest ? tidy : characters.slice(0, longest).join('').trim();
}

export function isNull(row: SourceRow, column: string): boolean {
  return row[column] === null || row[column] === undefined;
}

/** Number of a column; `fallback` if there is none. */
export function number(row: SourceRow, column: string, fallback = 0): number {
  const value = row[column];
  if (value === null || value === undefined || value === '') return fallback;
  const parsed = value instanceof Date ? value.getTime() / 1000 : Number(value);
  return Number.isFinite(parsed) ? parsed : fallback;
}

export function integer(row: SourceRow, column: string, fallback = 0): number {
  const value = Math.trunc(number(row, column, fallback));
  return Number.isSafeInteger(value) ? value : fallback;
}

/**
 * Amount in quota.
 * @throws {AmountError} if it is no integer up to 2^53
 */
export function quota(row: SourceRow, column: string): number {
  const value = row[column];
  if (value === null || value === undefined || value === '') return 0;
  const amount = Number(value);
  if (!Number.isSafeInteger(amount)) throw new AmountError(`The column ${column} holds an amount that cannot be stored`);
  // Without the negative zero.
  return amount + 0;
}

export function flag(row: SourceRow, column: string, fallback = false): boolean {
  const value = row[column];
  if (value === null || value === undefined || value === '') return fallback;
  if (typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return value[0] === 1 || value[0] === 0x31;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) !== 0;
  return typeof value === 'string' && ['1', 't', 'true'].includes(value.toLowerCase());
}

/** Value of a JSON column or text; undefined if there is none, or no JSON. */
export function json(row: SourceRow, column: string): unknown {
  const value = row[column];
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'object' && !(value instanceof Uint8Array) && !(value instanceof Date)) return value;
  return parsedJson(text(row, column));
}

export function parsedJson(given: string): unknown {
  if (given.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(given);
    return value;
  } catch {
    return undefined;
  }
}

/** Object of a JSON column; null if there is none, or something else. */
export function jsonObject(row: SourceRow, column: string): Readonly<Record<string, unknown>> | null {
  return objectOf(json(row, column));
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return isObject(value) ? value : null;
}

/** Reports whether a value is more than nothing: not empty, false, or an object without members. */
export function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Reports whether the row is marked as deleted. */
export function isDeleted(row: SourceRow): boolean {
  return trimmed(row, 'deleted_at') !== '';
}

/** Names of a comma list, each once, without blanks. */
export function names(given: string): string[] {
  const parts = given.split(/[,\r\n，]/).map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}
