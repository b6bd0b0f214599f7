// What a request names in its provider's account: files, caches, containers, stores. They are the operator's, or what another caller has
// left there; whoever knows such a name would read what it stands for. So none is taken from a caller, but for what was opened for it.
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

/** What a provider has opened for this caller. */
export interface ProviderObject {
  /** As its caller knows it. */
  reported: string;
  /** As the provider does. */
  name: string;
}

/** Files and stores of the caller's own, by the provider's names, which stand in the body by now. */
export type CallerFiles = ReadonlySet<string>;

/** What a body names beside those. */
export function withoutCallerFiles<Value>(body: Value, own: CallerFiles | undefined): Value {
  return own === undefined ? body : withFileNames(body, (name) => (own.has(name) ? '' : name));
}

/** @param field the first place of a body that has such a name @throws {AppError} `account_object_refused` */
export function refuseAccountObject(field: string | undefined): void {
  if (field !== undefined) throw new AppError('account_object_refused', { field }, { field });
}

/** The first place that `find` sees in one of a list's objects. An object may stand for a list of one. */
export function firstIn(list: unknown, path: string, find: (item: Body, path: string) => string | undefined): string | undefined {
  if (!Array.isArray(list)) return isObject(list) ? find(list, path) : undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item: unknown = list[index];
    const found = isObject(item) ? find(item, `${path}.${index}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path of the first of those members that says something. */
export function firstFilled(object: Body, path: string, names: readonly string[]): string | undefined {
  const name = names.find((one) => isFilled(object[one]));
  return name === undefined ? undefined : path === '' ? name : `${path}.${name}`;
}

/** A list is where one of its entries is. */
export function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && !value.some(isFilled));
}

/** Where a name of a caller's own stands: in its prompt, in what an earlier answer has said, or as a store that is searched. */
export type NamePlace = 'prompt' | 'said' | 'store';

/** The same with other names of files and stores; what has none stays the same object. */
export function withFileNames<Value>(value: Value, nameOf: (name: string, place: NamePlace) => string): Value;
export function withFileNames(value: unknown, nameOf: (name: string, place: NamePlace) => string): unknown {
  return renamed(value, nameOf, 'prompt');
}

/** What answers name: pieces of files that were found, and where words come from. */
const said: ReadonlySet<unknown> = new Set(['file_search_call', 'file_citation', 'file_path', 'container_file_citation']);

/** Whose members have names of their caller's choice, and name nothing of an account. */
const ofCallers: ReadonlySet<string> = new Set(['attributes', 'metadata']);

/** Of an object with a `name`, a tool or a call of one: its arguments, what it has answered, and their schemas. */
const ofTools: ReadonlySet<string> = new Set([
  'input',
  'args',
  'arguments',
  'response',
  'result',
  'parameters',
  'input_schema',
  'parametersJsonSchema',
  'parameters_json_schema',
  'responseJsonSchema',
  'response_json_schema',
  'schema',
]);

function renamed(value: unknown, nameOf: (name: string, place: NamePlace) => string, place: NamePlace): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map((item) => renamed(item, nameOf, place));
    return changed.every((item, index) => item === items[index]) ? items : changed;
  }
  if (!isObject(value)) return value;
  const inside = said.has(value['type']) ? 'said' : place;
  const isOfTool = typeof value['name'] === 'string';
  const changed = Object.entries(value).map(
    ([name, inner]) => [name, isOfTool && ofTools.has(name) ? inner : renamedMember(name, inner, nameOf, inside)] as const,
  );
  return changed.every(([name, inner]) => inner === value[name]) ? value : Object.fromEntries(changed);
}

/** Members that name a file or a cache. */
const namesOne: ReadonlySet<string> = new Set(['file_id', 'cachedContent', 'cached_content']);

function renamedMember(name: string, inner: unknown, nameOf: (name: string, place: NamePlace) => string, place: NamePlace): unknown {
  if (ofCallers.has(name)) return inner;
  if (namesOne.has(name) && typeof inner === 'string') return nameOf(inner, place);
  if (name !== 'vector_store_ids' || !Array.isArray(inner)) return renamed(inner, nameOf, place);
  const items: readonly unknown[] = inner;
  const changed = items.map((item) => (typeof item === 'string' ? nameOf(item, 'store') : item));
  return changed.every((item, index) => item === items[index]) ? items : changed;
}
