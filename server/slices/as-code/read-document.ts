// Reads files of YAML or JSON into entries that know where they are. Everything wrong is collected, so that one run shows all of it.
import {
  type Document as YamlDocument,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import { longestDocument } from '#shared/as-code.ts';
import type { LocalText } from '#shared/errors.ts';
import { fieldSentence } from '#shared/field-rules.ts';
import { isSettingKey, type SettingKey } from '#shared/settings.ts';
import { wrongField } from '#server/http/input-rule.ts';
import { type DescribedChannel, type DescribedGroup, type DescribedPrice, type DescribedToken, Document } from './document.ts';
import { type ReferenceSource, resolveReferences } from './references.ts';

export interface DocumentFile {
  /** As people are shown it. */
  name: string;
  text: string;
}

/** Where something is, from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
  path: string;
}

export interface Problem extends Place {
  text: LocalText;
}

/** One described object. Plain data, which crosses threads. */
export interface Entry<Name extends string, Value> {
  name: Name;
  value: Value;
  place: Place;
  /** Places of its fields, and of single groups of a channel as `groups.INDEX`. */
  places: ReadonlyMap<string, Place>;
  /** Fields that come from a reference, or hold one. */
  referenced: ReadonlySet<string>;
}

/** Place of a field; that of the object if the field is absent. */
export function placeIn({ place, places }: Pick<Entry<string, unknown>, 'place' | 'places'>, field: string | undefined): Place {
  return places.get(field ?? '') ?? place;
}

/** What files describe. Plain data, which crosses threads. */
export interface Described {
  /** Name of the set of files, if one of them has it. */
  name: string | undefined;
  settings: Entry<SettingKey, unknown>[];
  groups: Entry<string, DescribedGroup | null>[];
  prices: Entry<string, DescribedPrice>[];
  channels: Entry<string, DescribedChannel>[];
  tokens: Entry<string, DescribedToken>[];
  problems: Problem[];
  warnings: Problem[];
  /** For masking. */
  secrets: ReadonlySet<string>;
}

/** More levels or values are no settings: a document that refers to itself, or one that is made to be expensive. */
const deepest = 40;
const mostValues = 400_000;
const mostAliases = 100;
const mostProblems = 100;

const texts = {
  tooLarge: { zh: '文件过大', en: 'The document is too large' },
  tooSlow: { zh: '读取此文件耗时过长或占用内存过多', en: 'The document takes too much time or memory to read' },
  tooComplex: { zh: '文件嵌套过深，或引用展开后过大', en: 'The document is nested too deeply, or too large once its aliases are expanded' },
  twice: { zh: '重复出现', en: 'is described twice' },
  forbiddenName: { zh: '是不允许的名称', en: 'is not an allowed name' },
  names: { zh: '与另一个文件中的名称不同', en: 'is another name than in another file' },
} satisfies Record<string, LocalText>;

/** Takes half a second per megabyte: a server reads in another thread (`read-in-thread.ts`). */
export function readDocument(files: readonly DocumentFile[], source: ReferenceSource): Described {
  const described = nothingDescribed();
  if (files.reduce((sum, { text }) => sum + text.length, 0) > longestDocument) {
    described.problems.push(problemOf(files[0]?.name ?? '', texts.tooLarge));
    return described;
  }
  for (const file of files) readFile(file, source, described);
  findDoubles(described);
  described.problems.length = Math.min(described.problems.length, mostProblems);
  return described;
}

/** A document whose reading was stopped. */
export function unreadDocument([first]: readonly DocumentFile[]): Described {
  return { ...nothingDescribed(), problems: [problemOf(first?.name ?? '', texts.tooSlow)] };
}

function nothingDescribed(): Described & { secrets: Set<string> } {
  return {
    name: undefined,
    settings: [],
    groups: [],
    prices: [],
    channels: [],
    tokens: [],
    problems: [],
    warnings: [],
    secrets: new Set(),
  };
}

/** A problem of a whole file. */
function problemOf(file: string, text: LocalText): Problem {
  return { file, line: 1, column: 1, path: '', text };
}

function readFile(file: DocumentFile, source: ReferenceSource, described: Described & { secrets: Set<string> }): void {
  const parsed = parse(file);
  if ('problems' in parsed) {
    described.problems.push(...parsed.problems);
    return;
  }
  const { value: raw, placeOf } = parsed;
  const forbidden = forbiddenNames(raw);
  described.problems.push(...forbidden.map((path) => ({ ...placeOf(path), text: sentence(path, texts.forbiddenName) })));
  if (forbidden.length > 0) return;
  const resolved = resolveReferences(raw, file.name, source);
  for (const { path, text } of resolved.problems) described.problems.push({ ...placeOf(path), text: sentence(path, text) });
  for (const { path, text } of resolved.warnings) described.warnings.push({ ...placeOf(path), text: sentence(path, text) });
  for (const secret of resolved.secrets) described.secrets.add(secret);
  const checked = Document.safeParse(resolved.value);
  if (!checked.success) {
    for (const issue of checked.error.issues) {
      for (const { path, rule } of problemsOf(issue, resolved.value))
        described.problems.push({ ...placeOf(path), text: fieldSentence(path.join('.') || 'document', rule) });
    }
    return;
  }
  if (resolved.problems.length > 0) return;
  const { name, settings = {}, groups = {}, prices = {}, channels = [], tokens = [] } = checked.data;
  if (name !== undefined && described.name !== undefined && name !== described.name)
    described.problems.push({ ...placeOf(['name']), text: sentence(['name'], texts.names) });
  described.name ??= name;
  const entry = <Name extends string, Value>(path: (string | number)[], own: Name, value: Value): Entry<Name, Value> => {
    const isReferenced = (field: string) => resolved.referenced.has([...path, field].join('/'));
    const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    const places = new Map(fields.map(([field]) => [field, placeOf([...path, field])]));
    const inner: unknown = Object.fromEntries(fields)['groups'];
    if (Array.isArray(inner)) for (const index of inner.keys()) places.set(`groups.${index}`, placeOf([...path, 'groups', index]));
    return { name: own, value, place: placeOf(path), places, referenced: new Set(fields.map(([field]) => field).filter(isReferenced)) };
  };
  for (const [key, value] of Object.entries(settings)) {
    if (!isSettingKey(key) || value === undefined) continue;
    const path = ['settings', key];
    const referenced = resolved.referenced.has(path.join('/')) ? [key] : [];
    described.settings.push({ name: key, value, place: placeOf(path), places: new Map(), referenced: new Set(referenced) });
  }
  for (const [key, value] of Object.entries(groups)) described.groups.push(entry(['groups', key], key, value));
  for (const [key, value] of Object.entries(prices)) described.prices.push(entry(['prices', key], key, value));
  for (const [index, value] of channels.entries()) described.channels.push(entry(['channels', index], value.name.trim(), value));
  for (const [index, value] of tokens.entries())
    described.tokens.push(entry(['tokens', index], `${value.user.trim()}/${value.name.trim()}`, value));
}

/** Every unknown field of an object is a problem of its own. */
function problemsOf(issue: z.core.$ZodIssue, value: unknown): { path: (string | number)[]; rule: LocalText }[] {
  const at = issue.path.map(plainKey);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...at, key], rule: unknownRule }));
  const { path, rule } = wrongField(issue, value);
  return [{ path: path === issue.path.join('.') ? at : path.split('.'), rule }];
}

const unknownRule: LocalText = { zh: '不是已知的字段', en: 'is not a known field' };

function findDoubles(described: Described): void {
  for (const kind of ['settings', 'groups', 'prices', 'channels', 'tokens'] as const) {
    const seen = new Set<string>();
    for (const { name, place } of described[kind]) {
      if (seen.has(name)) described.problems.push({ ...place, text: fieldSentence(name, texts.twice) });
      seen.add(name);
    }
  }
}

interface Parsed {
  value: unknown;
  placeOf(path: readonly (string | number)[]): Place;
}

function parse({ name, text }: DocumentFile): Parsed | { problems: Problem[] } {
  const lines = new LineCounter();
  const whole = (own: LocalText): { problems: Problem[] } => ({ problems: [problemOf(name, own)] });
  try {
    if (isTooDeep(text)) return whole(texts.tooComplex);
    // The parser would compare every key of a map with all before it.
    const document = parseDocument(text, { version: '1.2', lineCounter: lines, prettyErrors: true, uniqueKeys: false, strict: true });
    if (document.errors.length > 0) return { problems: document.errors.slice(0, mostProblems).map((error) => syntaxProblem(name, error)) };
    const placeAt = (offset: number): Omit<Place, 'path'> => {
      const { line, col } = lines.linePos(offset);
      return { file: name, line: Math.max(1, line), column: Math.max(1, col) };
    };
    const keys = new Keys(document);
    const doubles = keys.doubles();
    if (doubles.length > 0)
      return { problems: doubles.map(({ at, key }) => ({ ...placeAt(at), path: key, text: sentence([key], texts.twice) })) };
    const value: unknown = document.toJS({ maxAliasCount: mostAliases });
    if (!isBounded(value)) return whole(texts.tooComplex);
    return { value, placeOf: (path) => ({ ...placeAt(keys.offsetOf(path)), path: path.join('.') }) };
  } catch {
    // Too many aliases, or more levels than the parser can follow.
    return whole(texts.tooComplex);
  }
}

/** Finds, before parsing, flow collections within each other, which the parser follows level by level, and too many of them. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let opened = 0;
  for (const letter of text.matchAll(/[[\]{}]|^ *(?:- ){41}/gm)) {
    if (letter[0] === '[' || letter[0] === '{') {
      depth += 1;
      opened += 1;
    } else if (letter[0] === ']' || letter[0] === '}') depth = Math.max(0, depth - 1);
    else return true;
    if (depth > 10 * deepest || opened > mostValues) return true;
  }
  return false;
}

/** The parser repeats the line with the error, which may hold a secret. */
function syntaxProblem(file: string, { message, linePos }: YAMLError): Problem {
  const { line = 1, col: column = 1 } = linePos?.[0] ?? {};
  const first = (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/[:"'].*$/, '');
  return { file, line, column, path: '', text: { zh: `语法错误：${first}`, en: first } };
}

function isBounded(value: unknown): boolean {
  let count = 0;
  const walk = (one: unknown, depth: number): boolean => {
    count += 1;
    if (count > mostValues || depth > deepest) return false;
    return typeof one !== 'object' || one === null || Object.values(one).every((inner) => walk(inner, depth + 1));
  };
  return walk(value, 0);
}

/** Names that would be a prototype somewhere. */
function forbiddenNames(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '__proto__' ? [[...path, name]] : forbiddenNames(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** Keys of the maps of a document, each map indexed once: its maps may have any number of entries. */
class Keys {
  readonly #document: YamlDocument.Parsed;
  readonly #known = new Map<object, ReadonlyMap<string, Pair>>();

  constructor(document: YamlDocument.Parsed) {
    this.#document = document;
  }

  /** Keys that are given again in their maps, of the first maps that have such. */
  doubles(): { at: number; key: string }[] {
    const found: { at: number; key: string }[] = [];
    const walk = (node: unknown): void => {
      if (isSeq(node)) node.items.forEach(walk);
      if (!isMap(node) || found.length >= mostProblems) return;
      const index = this.#indexOf(node.items, node);
      for (const pair of node.items) {
        const key = this.#textOf(pair.key);
        if (key !== undefined && index.get(key) !== pair && found.length < mostProblems) found.push({ at: offsetOf(pair.key, 0), key });
        walk(pair.value);
      }
    };
    walk(this.#document.contents);
    return found;
  }

  /** Offset of the key of a path; of what is absent, that of what should hold it. */
  offsetOf(path: readonly (string | number)[]): number {
    let node: unknown = this.#document.contents;
    let offset = offsetOf(node, 0);
    for (const step of path) {
      if (isMap(node)) {
        const pair = this.#indexOf(node.items, node).get(String(step));
        if (pair === undefined) return offset;
        offset = offsetOf(pair.key, offset);
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        offset = offsetOf(node, offset);
      } else return offset;
    }
    return offset;
  }

  #indexOf(items: readonly unknown[], map: object): ReadonlyMap<string, Pair> {
    const known = this.#known.get(map);
    if (known !== undefined) return known;
    const index = new Map<string, Pair>();
    for (const pair of items) {
      const key = isPair(pair) ? this.#textOf(pair.key) : undefined;
      if (key !== undefined && isPair(pair) && !index.has(key)) index.set(key, pair);
    }
    this.#known.set(map, index);
    return index;
  }

  /** Undefined for a key that is a collection. */
  #textOf(key: unknown): string | undefined {
    const node = isAlias(key) ? key.resolve(this.#document) : key;
    if (!isScalar(node)) return undefined;
    const { value } = node;
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  }
}

function offsetOf(node: unknown, fallback: number): number {
  return isNode(node) ? (node.range?.[0] ?? fallback) : fallback;
}

function sentence(path: readonly (string | number)[], rule: LocalText): LocalText {
  return fieldSentence(path.join('.'), rule);
}

function plainKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}
