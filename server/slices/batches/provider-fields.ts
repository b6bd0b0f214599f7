// Fields of what providers tell of batches, whatever the vendor's form is.
import { storableText } from '#server/db/storable.ts';
import { isObject } from '#server/framing/loose-json.ts';

const longestId = 256;

/** Empty: it is none. */
export function idOf(value: unknown): string {
  return typeof value === 'string' && value.length <= longestId ? value : '';
}

/** Some tell milliseconds. */
export function secondsOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) return 0;
  return value < firstMilliseconds ? value : Math.floor(value / 1000);
}

/** As seconds it is in the year 5138. */
const firstMilliseconds = 100_000_000_000;

const mostErrors = 20;
const longestError = 500;

/** As many of them as are kept. */
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
