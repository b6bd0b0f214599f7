// How large the JSON Schemas of a request may be, and how much of them may be written more than once. Formats of providers rewrite
// schemas: a walk through one is a step for each of its parts, and what references copy is paid from one budget for all of a request.
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { PartBudget } from '#server/framing/part-budget.ts';

export type Schema = Readonly<JsonObject>;

/** Objects, lists, texts and names of one schema, whichever provider it goes to. */
export const mostSchemaParts = 20_000;
/** Parts that references of one request may copy. */
const mostCopied = 20_000;
/** Letters of a text that is copied that count as one more part. */
const lettersPerPart = 64;
/** Letters of a reference; longer ones point nowhere. */
const longestReference = 1_000;

/** @throws {AppError} `body_too_complex`, 400 */
export function checkSchemas(schemas: Iterable<unknown>): void {
  for (const schema of schemas)
    if (partsOf(schema, mostSchemaParts) > mostSchemaParts) throw new AppError('body_too_complex', {}, { status: 400 });
}

/** Parts of a value, counted no further than one beyond `most`. */
function partsOf(value: unknown, most: number): number {
  const left = [value];
  let parts = 0;
  while (left.length > 0 && parts <= most) {
    const one = left.pop();
    if (typeof one === 'string') parts += 1;
    else if (Array.isArray(one)) {
      parts += 1;
      for (const item of one) left.push(item);
    } else if (isObject(one)) {
      parts += 1;
      for (const [, item] of Object.entries(one)) {
        parts += 1;
        left.push(item);
      }
    }
  }
  return parts;
}

/** Words below which names are the caller's own and values are schemas; a list of schemas; one schema, or formerly a list. */
const maps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']);

/**
 * Rewrites a schema and all schemas in it, the inner ones first: one step for each, references are not followed. What nothing changes
 * stays the same object.
 */
export function mapSchemas(schema: Schema, rewrite: (schema: Schema) => Schema): Schema {
  const ofSchema = (value: unknown): unknown => (isObject(value) ? rewrite(changed(value, ofWord)) : value);
  const ofNamed = (_name: string, value: unknown): unknown => ofSchema(value);
  const ofWord = (word: string, value: unknown): unknown => {
    if (typeof value !== 'object') return value;
    if (maps.has(word) && isObject(value)) return changed(value, ofNamed);
    if ((lists.has(word) || single.has(word)) && Array.isArray(value)) return unchanged(value, ofSchema);
    return single.has(word) ? ofSchema(value) : value;
  };
  return rewrite(changed(schema, ofWord));
}

function changed(object: Schema, change: (name: string, value: unknown) => unknown): Schema {
  let isSame = true;
  const entries = Object.entries(object);
  for (const entry of entries) {
    const written = change(...entry);
    if (written === entry[1]) continue;
    isSame = false;
    entry[1] = written;
  }
  return isSame ? object : Object.fromEntries(entries);
}

/** The same list where nothing of it changed. */
export function unchanged<Item>(items: Item[], change: (item: Item) => Item): Item[] {
  const written = items.map(change);
  return written.some((item, at) => item !== items[at]) ? written : items;
}

/** What references of the schemas of one request may copy where a format has no references: of the budget of its body. */
export class SchemaCopies {
  readonly #budget: PartBudget;
  #left = mostCopied;
  readonly #sizes = new WeakMap<object, number>();

  constructor(budget = new PartBudget()) {
    this.#budget = budget;
  }

  /** Returns whether there is enough for one more copy, and takes it. @throws {AppError} as the budget's hold */
  take(schema: Schema): boolean {
    const size = this.#sizeOf(schema);
    if (size > this.#left || !this.#budget.tryTake(size)) return false;
    this.#left -= size;
    return true;
  }

  /** Measures each object once, however many references lead into it. Bodies are not deeper than a stack is. */
  #sizeOf(value: unknown): number {
    if (typeof value === 'string') return 1 + Math.floor(value.length / lettersPerPart);
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    if (Array.isArray(value)) for (const item of value) size += this.#sizeOf(item);
    else for (const [name, item] of Object.entries(value)) size += 1 + Math.floor(name.length / lettersPerPart) + this.#sizeOf(item);
    this.#sizes.set(value, size);
    return size;
  }
}

/** Looks up references within one schema, each text once. */
export class SchemaReferences {
  readonly #root: Schema;
  readonly #found = new Map<string, Schema | null>();

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Null: there is no such schema, or it is another document's. */
  find(reference: string): Schema | null {
    if (!reference.startsWith('#') || reference.length > longestReference) return null;
    const known = this.#found.get(reference);
    if (known !== undefined) return known;
    const found = this.#lookUp(reference);
    this.#found.set(reference, found);
    return found;
  }

  #lookUp(reference: string): Schema | null {
    let value: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
      value = Reflect.get(value, name);
    }
    return isObject(value) ? value : null;
  }
}

/** Schemas that are to hold at once, as one: words of the first that says them, all properties, all required names. */
export class MergedSchema {
  readonly words: JsonObject = {};
  readonly #properties = new Map<string, unknown>();
  readonly #required = new Set<unknown>();

  has(word: string): boolean {
    return Object.hasOwn(this.words, word);
  }

  /** Keeps a word that no earlier schema has said. */
  add(word: string, value: unknown): void {
    // The name of a prototype is no word.
    if (word !== '__proto__' && !this.has(word)) this.words[word] = value;
  }

  hasProperty(name: string): boolean {
    return this.#properties.has(name);
  }

  /** Takes the place of an earlier one of that name. */
  setProperty(name: string, schema: unknown): void {
    this.#properties.set(name, schema);
  }

  addRequired(names: readonly unknown[]): void {
    for (const name of names) this.#required.add(name);
  }

  /** Nothing may be added afterwards. */
  finish(): JsonObject {
    // Words stay where they were said first.
    if (this.#properties.size > 0) this.words['properties'] = Object.fromEntries(this.#properties);
    if (this.#required.size > 0) this.words['required'] = [...this.#required];
    return this.words;
  }
}
