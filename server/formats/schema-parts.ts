// Limits and rewrites the JSON Schemas of a request. A rewrite takes one step per part of a schema, and copies of referenced
// schemas are limited by one budget per request.
import { AppError } from '#shared/errors.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { PartBudget } from '#server/framing/part-budget.ts';

export type Schema = Readonly<JsonObject>;

/** Maximum objects, lists, texts and names of one schema, for every provider. */
export const mostSchemaParts = 20_000;
/** Maximum parts that references of one request may copy. */
const mostCopied = 20_000;
/** Characters of a copied text that count as one more part. */
const lettersPerPart = 64;
/** Maximum characters of a reference; longer ones are unresolved. */
const longestReference = 1_000;

/**
 * Refuses schemas with too many parts.
 * @throws {AppError} `body_too_complex`, 400
 */
export function checkSchemas(schemas: Iterable<unknown>): void {
  for (const schema of schemas)
    if (partsOf(schema, mostSchemaParts) > mostSchemaParts) throw new AppError('body_too_complex', {}, { status: 400 });
}

/** Counts the parts of a value, up to `most` + 1. */
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

/** Keywords with caller-chosen names and schemas as values (`maps`), and with a list of schemas (`lists`). */
const maps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']);

/**
 * Rewrites a schema and its subschemas, innermost first, without following references. A schema that needs no change is
 * returned as the same object.
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

/** Returns the same list if no item changes. */
export function unchanged<Item>(items: Item[], change: (item: Item) => Item): Item[] {
  const written = items.map(change);
  return written.some((item, at) => item !== items[at]) ? written : items;
}

/** Budget for copies of referenced schemas, for formats without references. Copies count against the body's part budget too. */
export class SchemaCopies {
  readonly #budget: PartBudget;
  #left = mostCopied;
  readonly #sizes = new WeakMap<object, number>();

  constructor(budget = new PartBudget()) {
    this.#budget = budget;
  }

  /**
   * Charges one more copy; returns false if it does not fit.
   * @throws {AppError} errors of the budget's hold
   */
  take(schema: Schema): boolean {
    const size = this.#sizeOf(schema);
    if (size > this.#left || !this.#budget.tryTake(size)) return false;
    this.#left -= size;
    return true;
  }

  /** Returns the parts of a value. Each object is measured once. Recursion is safe, because the depth of bodies is limited. */
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

/** Resolves and caches references within one schema. */
export class SchemaReferences {
  readonly #root: Schema;
  readonly #found = new Map<string, Schema | null>();

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Returns null for missing and external schemas. */
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

/** Merges schemas that apply at once: the first value of each keyword, all properties, all required names. */
export class MergedSchema {
  readonly words: JsonObject = {};
  readonly #properties = new Map<string, unknown>();
  readonly #required = new Set<unknown>();

  has(word: string): boolean {
    return Object.hasOwn(this.words, word);
  }

  /** Adds a keyword unless an earlier schema has it. */
  add(word: string, value: unknown): void {
    if (word !== '__proto__' && !this.has(word)) this.words[word] = value;
  }

  hasProperty(name: string): boolean {
    return this.#properties.has(name);
  }

  /** Sets a property; replaces an earlier one of that name. */
  setProperty(name: string, schema: unknown): void {
    this.#properties.set(name, schema);
  }

  addRequired(names: readonly unknown[]): void {
    for (const name of names) this.#required.add(name);
  }

  /** Returns the merged schema. Nothing may be added afterwards. */
  finish(): JsonObject {
    // Preserves the order of keywords.
    if (this.#properties.size > 0) this.words['properties'] = Object.fromEntries(this.#properties);
    if (this.#required.size > 0) this.words['required'] = [...this.#required];
    return this.words;
  }
}
