// Normalizes values of an upstream's response for storage: bounded texts, valid timestamps.
import { isObject } from '#server/framing/loose-json.ts';
import { storable, storableText } from '#server/db/storable.ts';

const longestText = 8_000;
const longestUrl = 4_000;
const longestId = 200;
/** Limits for a list of buttons, or a song with its lyrics. */
const largestJson = { text: 20_000, total: 120_000, elements: 200, levels: 12 };
const latestMoment = 9_999_999_999_999;

export function textOf(value: unknown, longest = longestText): string {
  return typeof value === 'string' ? storableText(value, longest) : '';
}

/** Returns an empty string if there is no usable id. */
export function idOf(value: unknown): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : typeof value === 'string' ? value.trim() : '';
  return text.length <= longestId && text === storableText(text, longestId) ? text : '';
}

/** Accepts only URLs that browsers may open. */
export function urlOf(value: unknown): string {
  const text = textOf(value, longestUrl);
  return /^https?:\/\//i.test(text) ? text : '';
}

/** Non-negative integer; undefined if absent. */
export function momentOf(value: unknown, factor = 1): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined;
  const moment = Math.floor(number * factor);
  return moment <= latestMoment ? moment : undefined;
}

const longestProgress = 40;

/** Accepts `50` and `50%`; undefined if absent. */
export function progressOf(value: unknown): string | undefined {
  const text = (typeof value === 'number' ? String(value) : textOf(value)).trim();
  // Checks the length first, because the pattern backtracks over blanks.
  const found = text.length > longestProgress ? null : /^(\d{1,3})(?:\.\d+)?\s*%?$/.exec(text);
  return found === null ? undefined : `${Math.min(100, Number(found[1]))}%`;
}

/** JSON text of an object or a list; empty for other values. */
export function jsonOf(value: unknown): string {
  if (!isObject(value) && !Array.isArray(value)) return '';
  return JSON.stringify(storable<unknown>(value, largestJson));
}
