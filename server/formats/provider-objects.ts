// Finds ids of objects in the provider's account: files, caches, containers, stores. An id grants access, and the object may
// be the operator's or another caller's, so ids are rejected unless the object was created for the caller.
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';

type Body = Readonly<Record<string, unknown>>;

/** Object that a provider created for this caller. */
export interface ProviderObject {
  /** The caller's id. */
  reported: string;
  /** The provider's id. */
  name: string;
}

/** Provider's ids of the caller's files and stores in a body whose ids were replaced already. */
export type CallerFiles = ReadonlySet<string>;

/** Returns the body without the ids of the caller's files. */
export function withoutCallerFiles<Value>(body: Value, own: CallerFiles | undefined): Value {
  return own === undefined ? body : withFileNames(body, (name) => (own.has(name) ? '' : name));
}

/**
 * Refuses a body with an id of an account's object.
 * @param field first path with such an id; undefined if there is none
 * @throws {AppError} `account_object_refused`
 */
export function refuseAccountObject(field: string | undefined): void {
  if (field !== undefined) throw new AppError('account_object_refused', { field }, { field });
}

/** Returns the first result of `find` over a list's objects. A single object counts as a list of one. */
export function firstIn(list: unknown, path: string, find: (item: Body, path: string) => string | undefined): string | undefined {
  if (!Array.isArray(list)) return isObject(list) ? find(list, path) : undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item: unknown = list[index];
    const found = isObject(item) ? find(item, `${path}.${index}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the path of the first member with a value. */
export function firstFilled(object: Body, path: string, names: readonly string[]): string | undefined {
  const name = names.find((one) => isFilled(object[one]));
  return name === undefined ? undefined : path === '' ? name : `${path}.${name}`;
}

/** Reports whether a member has a value; a list, whether one of its entries has. */
export function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && !value.some(isFilled));
}

/** Use of an id: `prompt`: in the prompt; `said`: in an earlier response; `store`: as a searched store. */
export type NamePlace = 'prompt' | 'said' | 'store';

/** Replaces ids of files and stores; returns the same object if there are none. */
export function withFileNames<Value>(value: Value, nameOf: (name: string, place: NamePlace) => string): Value;
export function withFileNames(value: unknown, nameOf: (name: string, place: NamePlace) => string): unknown {
  return renamed(value, nameOf, 'prompt');
}

/** Response items with ids: found file chunks and citations. */
const said: ReadonlySet<unknown> = new Set(['file_search_call', 'file_citation', 'file_path', 'container_file_citation']);

/** Objects whose member names the caller chooses. */
const ofCallers: ReadonlySet<string> = new Set(['attributes', 'metadata']);

/** Members of a tool or tool call (an object with `name`): arguments, results and schemas. */
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

/** Members that contain the id of a file or cache. */
const namesOne: ReadonlySet<string> = new Set(['file_id', 'cachedContent', 'cached_content']);

function renamedMember(name: string, inner: unknown, nameOf: (name: string, place: NamePlace) => string, place: NamePlace): unknown {
  if (ofCallers.has(name)) return inner;
  if (namesOne.has(name) && typeof inner === 'string') return nameOf(inner, place);
  if (name !== 'vector_store_ids' || !Array.isArray(inner)) return renamed(inner, nameOf, place);
  const items: readonly unknown[] = inner;
  const changed = items.map((item) => (typeof item === 'string' ? nameOf(item, 'store') : item));
  return changed.every((item, index) => item === items[index]) ? items : changed;
}
