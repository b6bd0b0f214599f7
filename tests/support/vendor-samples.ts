// Values of vendors' types with everything in them that there can be (`tests/fixtures/vendor-schemas/`), and which of their members a
// reader makes nothing of.
import { type Vendor, vendorSchemas } from './vendor-schema.ts';

type Json = Readonly<Record<string, unknown>>;

/** What may stand in the place of a word that was chosen out of several. */
const otherWords = new Map<unknown, ReadonlySet<unknown>>();

/** Every member is there; between them they have every kind of thing that may stand in a place. */
export function samplesOf(vendor: Vendor, type: string): unknown[] {
  const { definitions } = vendorSchemas(vendor);
  const properties = definitions['Vendor']?.['properties'];
  const schema = isObject(properties) ? properties[type] : undefined;
  if (!isObject(schema)) throw new Error(`${vendor} has no type ${type}`);
  return new Sampler(definitions).samples(schema, []);
}

/** All words of the vendor's that may stand where the samples have that one. */
export function wordsLike(first: string): unknown[] {
  return [first, ...(otherWords.get(first) ?? [])];
}

class Sampler {
  readonly #definitions: Readonly<Record<string, Json>>;
  #made = 0;
  /** Objects that are open. */
  #depth = 0;

  constructor(definitions: Readonly<Record<string, Json>>) {
    this.#definitions = definitions;
  }

  /** @param within names of the types that this one is a part of; none stands within itself */
  samples(schema: Json, within: readonly string[]): unknown[] {
    const { $ref: reference, anyOf, type, enum: words } = schema;
    if (typeof reference === 'string') {
      const name = decodeURIComponent(reference.replace('#/definitions/', ''));
      return within.includes(name) ? [] : this.samples(this.#definitions[name] ?? {}, [...within, name]);
    }
    if (Array.isArray(anyOf)) {
      const branches = anyOf.filter(isObject).filter((branch) => branch['type'] !== 'null');
      return branches.flatMap((branch) => this.samples(branch, within));
    }
    if ('const' in schema) return [schema['const']];
    if (Array.isArray(words)) return this.#word(words);
    // Anything may stand there.
    if (type === undefined) return [{ key: this.#scalar('string') }];
    const kind: unknown = [type].flat().find((name) => name !== 'null') ?? 'null';
    if (kind === 'object') return this.#objects(schema, within);
    if (kind === 'array') return [isObject(schema['items']) ? this.samples(schema['items'], within) : []];
    return [this.#scalar(kind)];
  }

  #word(words: readonly unknown[]): unknown[] {
    const [first, ...others] = words.filter((word) => word !== null);
    otherWords.set(first, new Set([...(otherWords.get(first) ?? []), ...others]));
    return [first];
  }

  #objects({ properties, additionalProperties: others }: Json, within: readonly string[]): unknown[] {
    if (!isObject(properties)) return [{ key: isObject(others) ? this.samples(others, within)[0] : this.#scalar('string') }];
    const all: Record<string, unknown> = {};
    const more: [name: string, value: unknown][] = [];
    this.#depth += 1;
    for (const [name, schema] of Object.entries(properties)) {
      const [first, ...rest] = isObject(schema) ? this.samples(schema, within) : [];
      if (first === undefined) continue;
      all[name] = first;
      more.push(...rest.map((value): [string, unknown] => [name, value]));
    }
    this.#depth -= 1;
    return [all, ...more.map(([name, value]) => ({ ...all, [name]: value }))];
  }

  /** Texts of which no two are alike; numbers of which several fit into one that stands further out, as details do into their sum. */
  #scalar(kind: unknown): unknown {
    this.#made += 1;
    if (kind === 'boolean') return true;
    if (kind === 'null') return null;
    return kind === 'number' || kind === 'integer' ? 10 ** Math.max(1, 8 - this.#depth) + (this.#made % 9) : `text${this.#made}`;
  }
}

export interface Looking {
  /** What the names of members begin with: the event's. */
  within?: string;
  /** Members that are not inspected. */
  closed?: ReadonlySet<string>;
  /** Values found in other samples of the type, for shared members. */
  seen: Map<string, Set<unknown>>;
}

/**
 * Adds every member to those that were found, and whether the reader uses it: without it, or with another value, the reader's
 * result differs. A block of a kind is a member by its name, `content[text]`; members within an unused member are skipped.
 * @param read returns the reader's result for a value
 */
export function noteMembers(found: Map<string, boolean>, sample: unknown, read: (value: unknown) => string, looking: Looking): void {
  const { within = '', closed = new Set(), seen } = looking;
  const plain = read(sample);
  const visit = (value: object, path: string, put: (changed: unknown) => unknown): void => {
    for (const [key, member] of Object.entries(value)) {
      const at = placeOf(value, path, key, member);
      const isLeaf = typeof member !== 'object' || member === null || closed.has(key);
      const known = seen.get(at) ?? new Set();
      const shared = isLeaf ? value : member;
      if (known.has(shared) || (isLeaf && found.get(at) === true)) continue;
      seen.set(at, known.add(shared));
      const replaced = (other: unknown) => put(withMember(value, key, other));
      const isMapped = [undefined, ...otherThan(member)].some((other) => read(replaced(other)) !== plain);
      found.set(at, found.get(at) === true || isMapped);
      if (isMapped && !isLeaf) visit(member, at, replaced);
    }
  };
  if (typeof sample === 'object' && sample !== null) visit(sample, within, (changed) => changed);
}

function placeOf(value: object, path: string, key: string, member: unknown): string {
  const kind = isObject(member) && typeof member['type'] === 'string' && !madeText.test(member['type']) ? member['type'] : '';
  if (Array.isArray(value)) return `${path}[${kind || onlyMember(member)}]`;
  const named = kind === '' ? key : `${key}{${kind}}`;
  return path === '' ? named : `${path}.${named}`;
}

/** What some formats have instead of a type. */
function onlyMember(thing: unknown): string {
  const [name = '', ...others] = isObject(thing) ? Object.keys(thing) : [];
  return others.length === 0 ? name : '';
}

const madeText = /^text\d+$/;

/** @param other undefined: it is not there */
function withMember(value: object, key: string, other: unknown): unknown {
  if (!Array.isArray(value)) {
    const { [key]: _old, ...rest } = value as Record<string, unknown>;
    return other === undefined ? rest : { ...value, [key]: other };
  }
  return value.flatMap((member: unknown, index) => (String(index) !== key ? [member] : other === undefined ? [] : [other]));
}

function otherThan(member: unknown): unknown[] {
  if (typeof member === 'string') return [`${member}x`, ...(otherWords.get(member) ?? [])];
  if (typeof member === 'number') return [member + 1];
  if (typeof member === 'boolean') return [!member];
  if (Array.isArray(member)) return [[], ...member.flatMap((one) => reworded(one).map((other) => [other]))];
  return [{}, ...reworded(member)];
}

/** The same with another word in it. */
function reworded(value: unknown): unknown[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, word]) => [...(otherWords.get(word) ?? [])].map((other) => ({ ...value, [name]: other })));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
