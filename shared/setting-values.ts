// The kinds of values that settings have: how a stored text is read and what is refused. Used by the server before it
// stores and by the console's forms.
import type { ErrorCode, ErrorDetails } from '#shared/errors.ts';
import { safeLink, safePicture } from '#shared/links.ts';
import { withoutTrailing } from './trailing.ts';

export type SettingKind =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'choice'
  /** One line. */
  | 'text'
  /** Markdown, HTML or a URL, any number of lines. */
  | 'long_text'
  | 'url'
  /** One entry per line. */
  | 'lines'
  | 'comma_list'
  /** JSON objects: name → number, name → text. */
  | 'number_map'
  | 'text_map'
  /** JSON: name → name → number or text. */
  | 'nested_map'
  /** JSON: model → header → list of values. */
  | 'header_map'
  /** JSON: list of objects with one name and its link. */
  | 'chats'
  /** JSON: list of objects with a schema. */
  | 'list';

export type SettingProblem = { code: ErrorCode; details: ErrorDetails };
export type ParsedSetting<Value> = { ok: true; value: Value } | { ok: false; problem: SettingProblem };

export interface SettingOptions {
  /** Role that may change it; default `admin`. Administrators may read everything except secrets. */
  write?: 'admin' | 'root';
  /** Write-only: never sent to anybody, encrypted at rest. */
  secret?: boolean;
}

export interface Setting<Value> extends SettingOptions {
  kind: SettingKind;
  /** Text of the default; null: too large for the console, see `server/settings/defaults.ts`. */
  defaultText: string | null;
  /** Smallest and largest number, where the kind has them. */
  min?: number;
  max?: number;
  choices?: readonly string[];
  /** Reads a stored or submitted text. `key` goes into the problem's details. */
  parse(text: string, key: string): ParsedSetting<Value>;
}

/** Entries have no prototype: a model named `constructor` is simply not there. */
export type NumberMap = Readonly<Record<string, number>>;
export type TextMap = Readonly<Record<string, string>>;
export type HeaderMap = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

interface Bounds {
  min: number;
  max: number;
}

const longestLine = 2000;
const longestText = 500_000;
const longestName = 200;

export function booleanSetting(initial: boolean, options: SettingOptions = {}): Setting<boolean> {
  return {
    ...options,
    kind: 'boolean',
    defaultText: String(initial),
    parse(text, key) {
      const word = text.trim().toLowerCase();
      if (word === 'true' || word === '1') return { ok: true, value: true };
      if (word === 'false' || word === '0') return { ok: true, value: false };
      return refuse('option_not_boolean', { key });
    },
  };
}

export function integerSetting(initial: number, bounds: Bounds, options: SettingOptions = {}): Setting<number> {
  return {
    ...options,
    ...bounds,
    kind: 'integer',
    defaultText: String(initial),
    parse: (text, key) =>
      text.trim() === ''
        ? refuse('option_empty', { key })
        : /^\s*[+-]?\d{1,17}\s*$/.test(text)
          ? withinBounds(Number(text), bounds, key)
          : refuse('option_not_integer', { key }),
  };
}

/** Days after which something is deleted: 0 for never, or at least `least`. */
export function retentionSetting(
  initial: number,
  { least, max }: { least: number; max: number },
  options: SettingOptions = {},
): Setting<number> {
  const days = integerSetting(initial, { min: 0, max }, options);
  return {
    ...days,
    parse(text, key) {
      const parsed = days.parse(text, key);
      return parsed.ok && parsed.value !== 0 ? withinBounds(parsed.value, { min: least, max }, key) : parsed;
    },
  };
}

export function numberSetting(initial: number, bounds: Bounds, options: SettingOptions = {}): Setting<number> {
  return {
    ...options,
    ...bounds,
    kind: 'number',
    defaultText: String(initial),
    parse: (text, key) =>
      text.trim() === ''
        ? refuse('option_empty', { key })
        : /^\s*[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})(e[+-]?\d{1,2})?\s*$/i.test(text)
          ? withinBounds(Number(text), bounds, key)
          : refuse('option_not_number', { key }),
  };
}

export function choiceSetting<const Choice extends string>(
  initial: Choice,
  choices: readonly Choice[],
  options: SettingOptions = {},
): Setting<Choice> {
  return {
    ...options,
    kind: 'choice',
    choices,
    defaultText: initial,
    parse(text, key) {
      const value = choices.find((choice) => choice === text.trim());
      return value === undefined ? refuse('option_not_choice', { key, choices: choices.join(', ') }) : { ok: true, value };
    },
  };
}

/** One line; blanks around it are dropped. Line breaks are refused, such texts end up in mail and HTTP headers. */
export function textSetting(initial: string, options: SettingOptions = {}): Setting<string> {
  return {
    ...options,
    kind: 'text',
    defaultText: initial,
    parse(text, key) {
      const value = text.trim();
      return checkText(value, key, longestLine, /\p{Cc}/u) ?? { ok: true, value };
    },
  };
}

export function longTextSetting(initial: string, options: SettingOptions = {}): Setting<string> {
  return {
    ...options,
    kind: 'long_text',
    defaultText: initial,
    parse: (text, key) => checkText(text, key, longestText, /\0/) ?? { ok: true, value: text },
  };
}

/** Empty, or an http(s) address, read without its trailing slashes. */
export function urlSetting(initial: string, options: SettingOptions = {}): Setting<string> {
  return {
    ...options,
    kind: 'url',
    defaultText: initial,
    parse: (text, key) =>
      readAddress(withoutTrailing(text.trim(), '/'), key, {
        safe: (value) => safeLink(value, 'web'),
        code: 'option_not_url',
        limit: longestLine,
      }),
  };
}

/** Characters of a picture that stands in the setting itself: 300 kB. */
export const longestPicture = 400_000;

/** Empty, or where a picture is: an http(s) address, a path of this site, or the picture itself as a data URL. */
export function imageSetting(initial: string, options: SettingOptions = {}): Setting<string> {
  return {
    ...options,
    kind: 'text',
    defaultText: initial,
    parse(text, key) {
      const value = text.trim();
      const limit = value.startsWith('data:') ? longestPicture : longestLine;
      return readAddress(value, key, { safe: safePicture, code: 'option_not_image', limit });
    },
  };
}

function readAddress(
  value: string,
  key: string,
  { safe, code, limit }: { safe: (value: string) => string | undefined; code: 'option_not_url' | 'option_not_image'; limit: number },
): ReturnType<Setting<string>['parse']> {
  const refusal = checkText(value, key, limit, /[\p{Cc}\s]/u);
  if (refusal !== undefined) return refusal;
  return value === '' || safe(value) !== undefined ? { ok: true, value } : refuse(code, { key });
}

/** One entry per line; blank lines do not count. */
export function linesSetting(initial: readonly string[], change?: (line: string) => string): Setting<readonly string[]> {
  return {
    kind: 'lines',
    defaultText: initial.join('\n'),
    parse: (text, key) => checkText(text, key, longestText, /\0/) ?? { ok: true, value: entries(text, /\r?\n/, change) },
  };
}

/** Entries between commas; blank ones do not count. */
export function commaListSetting(initial: readonly string[], change?: (entry: string) => string): Setting<readonly string[]> {
  return {
    kind: 'comma_list',
    defaultText: initial.join(','),
    parse: (text, key) => checkText(text, key, longestText, /\0/) ?? { ok: true, value: entries(text, /[,\n\r]/, change) },
  };
}

export interface NumberMapRules extends Bounds {
  isInteger?: boolean;
  /** Beyond the checks of every entry. */
  check?(map: NumberMap): SettingProblem | undefined;
  isNameAllowed?(name: string): boolean;
}

/** @param initial null: the server has the default */
export function numberMapSetting(initial: NumberMap | null, rules: NumberMapRules, options: SettingOptions = {}): Setting<NumberMap> {
  return {
    ...options,
    kind: 'number_map',
    min: rules.min,
    max: rules.max,
    defaultText: initial === null ? null : JSON.stringify(initial),
    parse(text, key) {
      const json = parseJson(text, key);
      if (!json.ok) return json;
      if (!isObject(json.value)) return refuse('option_not_number_map', { key });
      const map: Record<string, number> = Object.create(null);
      for (const [name, value] of Object.entries(json.value)) {
        if (typeof value !== 'number') return refuse('option_not_number_map', { key });
        if (!isName(name) || rules.isNameAllowed?.(name) === false) return refuse('option_entry_name', { key, name: name.slice(0, 80) });
        if (!(value >= rules.min && value <= rules.max) || (rules.isInteger === true && !Number.isInteger(value))) {
          return refuse('option_entry_out_of_range', { key, name, min: rules.min, max: rules.max });
        }
        map[name] = value;
      }
      const problem = rules.check?.(map);
      return problem === undefined ? { ok: true, value: map } : { ok: false, problem };
    },
  };
}

export function textMapSetting(initial: TextMap | null): Setting<TextMap> {
  return {
    kind: 'text_map',
    defaultText: initial === null ? null : JSON.stringify(initial),
    parse(text, key) {
      const json = parseJson(text, key);
      if (!json.ok) return json;
      const map = textMap(json.value);
      return map === undefined ? refuse('option_not_text_map', { key }) : { ok: true, value: map };
    },
  };
}

export function headerMapSetting(initial: HeaderMap): Setting<HeaderMap> {
  return {
    kind: 'header_map',
    defaultText: JSON.stringify(initial),
    parse(text, key) {
      const json = parseJson(text, key);
      if (!json.ok) return json;
      if (!isObject(json.value)) return refuse('option_not_header_map', { key });
      const map: Record<string, Record<string, readonly string[]>> = Object.create(null);
      for (const [model, headers] of Object.entries(json.value)) {
        if (!isObject(headers)) return refuse('option_not_header_map', { key });
        const lists: Record<string, readonly string[]> = Object.create(null);
        for (const [name, values] of Object.entries(headers)) {
          if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return refuse('option_entry_name', { key, name: name.slice(0, 80) });
          if (!Array.isArray(values) || !values.every(isHeaderValue)) return refuse('option_not_header_map', { key });
          lists[name] = values;
        }
        map[model] = lists;
      }
      return { ok: true, value: map };
    },
  };
}

/** Links to pages, or to programs that take an address and a key (`opencat://…`). */
export function chatsSetting(initial: readonly TextMap[]): Setting<readonly TextMap[]> {
  return {
    kind: 'chats',
    defaultText: JSON.stringify(initial),
    parse(text, key) {
      const json = parseJson(text, key);
      if (!json.ok) return json;
      if (!Array.isArray(json.value)) return refuse('option_not_chats', { key });
      const chats: TextMap[] = [];
      for (const item of json.value) {
        const chat = textMap(item);
        const link = chat === undefined ? undefined : Object.values(chat)[0];
        if (chat === undefined || link === undefined || Object.keys(chat).length !== 1) return refuse('option_not_chats', { key });
        if (/\p{Cc}/u.test(link)) return refuse('option_not_text', { key });
        if (safeLink(link, 'client') === undefined) return refuse('option_not_link', { key, name: Object.keys(chat)[0] ?? '' });
        chats.push(chat);
      }
      return { ok: true, value: chats };
    },
  };
}

export function refuse(code: ErrorCode, details: ErrorDetails): { ok: false; problem: SettingProblem } {
  return { ok: false, problem: { code, details } };
}

function withinBounds(value: number, { min, max }: Bounds, key: string): ParsedSetting<number> {
  return value >= min && value <= max ? { ok: true, value: value === 0 ? 0 : value } : refuse('option_out_of_range', { key, min, max });
}

function checkText(text: string, key: string, limit: number, forbidden: RegExp): { ok: false; problem: SettingProblem } | undefined {
  if (text.length > limit) return refuse('option_too_long', { key, limit });
  return forbidden.test(text) || !text.isWellFormed() ? refuse('option_not_text', { key }) : undefined;
}

function entries(text: string, separator: RegExp, change: (entry: string) => string = (entry) => entry): string[] {
  const all = text.split(separator).map((entry) => change(entry.trim()));
  return [...new Set(all.filter((entry) => entry !== ''))];
}

export function parseJson(text: string, key: string): ParsedSetting<unknown> {
  if (text.length > longestText) return refuse('option_too_long', { key, limit: longestText });
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return refuse('option_invalid_json', { key });
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= longestName && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !/[\r\n\0]/.test(value);
}

function textMap(value: unknown): TextMap | undefined {
  if (!isObject(value)) return undefined;
  const map: Record<string, string> = Object.create(null);
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string' || !isName(name) || !text.isWellFormed()) return undefined;
    map[name] = text;
  }
  return map;
}
