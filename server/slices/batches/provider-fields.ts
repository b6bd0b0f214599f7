// Parses fields that all vendors' batches share.
import { storableText } from '#server/db/storable.ts';
import { isObject } from '#server/framing/loose-json.ts';

const longestId = 256;

/** Returns an empty string if the value is no id. */
export function idOf(value: unknown): string {
  return typeof value === 'string' && value.length <= longestId ? value : '';
}

/** Accepts seconds and milliseconds. */
export function secondsOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) return 0;
  return value < firstMilliseconds ? value : Math.floor(value / 1000);
}

/** As seconds, this is the year 5138. */
const firstMilliseconds = 100_000_000_000;

const mostErrors = 20;
const longestError = 500;

/** Stores a bounded number of errors. */
export function errorsOf(reported: unknown): string {
  const data = isObject(reported) ? reported['data'] : undefined;
  if (!Array.isArray(data) || data.length === 0) return '';
  const errors = data.filter(isObject).slice(0, mostErrors);
  const textOf = (value: unknown) => (typeof value === 'string' ? storableText(value, longestError) : null);
  return JSON.stringify(
    errors.map(({ code, line, message, param }) => ({
      code: textOf(code),
      line: typeof line === 'number' && Number.isSafeInteger(line) ? line : null,
      message: textOf(message),
      param: textOf(param),
    })),
  );
}
