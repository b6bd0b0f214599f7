// Values of what an upstream sends, brought to what is stored: texts of bounded length, moments that are moments.
import { isObject } from '#server/framing/loose-json.ts';
import { storable, storableText } from '#server/db/storable.ts';

const longestText = 8_000;
const longestUrl = 4_000;
const longestId = 200;
/** Of a list of buttons or a song with its lyrics. */
const largestJson = { text: 20_000, total: 120_000, elements: 200, levels: 12 };
const latestMoment = 9_999_999_999_999;

export function textOf(value: unknown, longest = longestText): string {
  return typeof value === 'string' ? storableText(value, longest) : '';
}

/** Empty: it has none that can be used. */
export function idOf(value: unknown): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : typeof value === 'string' ? value.trim() : '';
  return text.length <= longestId && text === storableText(text, longestId) ? text : '';
}

/** Only what a browser may follow. */
export function urlOf(value: unknown): string {
  const text = textOf(value, longestUrl);
  return /^https?:\/\//i.test(text) ? text : '';
}

/** Whole, from 0 up; undefined: it says nothing. */
export function momentOf(value: unknown, factor = 1): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined;
  const moment = Math.floor(number * factor);
  return moment <= latestMoment ? moment : undefined;
}

const longestProgress = 40;

/** `50` and `50%` alike; undefined: it says nothing. */
export function progressOf(value: unknown): string | undefined {
  const text = (typeof value === 'number' ? String(value) : textOf(value)).trim();
  // A length first: the pattern tries every blank.
  const found = text.length > longestProgress ? null : /^(\d{1,3})(?:\.\d+)?\s*%?$/.exec(text);
  return found === null ? undefined : `${Math.min(100, Number(found[1]))}%`;
}

/** JSON text of an object or a list; empty: it is neither. */
export function jsonOf(value: unknown): string {
  if (!isObject(value) && !Array.isArray(value)) return '';
  return JSON.stringify(storable<unknown>(value, largestJson));
}
