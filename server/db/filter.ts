// Parses and checks filters, patches and sorts for both engines, so that engines only see field paths of a safe
// alphabet and scalars, and no user text can become an operator.
import type { Scale } from '#server/db/collection.ts';
import type { Scalar } from '#server/db/fields.ts';

// Untyped filters, patches and sorts for engines; the compiler has checked their fields at the callers.
export type AnyFilter = Readonly<Record<string, unknown>>;
export interface AnyPatch {
  set?: Readonly<Record<string, unknown>>;
  unset?: readonly string[];
  increment?: Readonly<Record<string, number | undefined>>;
  max?: Readonly<Record<string, number | undefined>>;
}
export type AnySort = readonly (readonly [path: string, direction: 1 | -1])[];
export interface AnyFindOptions {
  sort?: AnySort;
  limit?: number;
  skip?: number;
}
export interface AnyGroupRequest {
  filter?: AnyFilter;
  by: readonly string[];
  sum?: Readonly<Record<string, string>>;
  scales?: Readonly<Record<string, Scale>>;
}

export type Clause =
  | { op: 'and' | 'or'; clauses: readonly Clause[] }
  | { op: 'eq' | 'ne'; path: string; value: Scalar }
  | { op: 'gt' | 'gte' | 'lt' | 'lte' | 'unindexedEq'; path: string; value: number | string }
  | { op: 'startsWith' | 'contains'; path: string; value: string }
  | { op: 'in'; path: string; values: readonly Scalar[] }
  | { op: 'exists'; path: string; value: boolean };

export type PatchStep =
  | { op: 'set'; path: string; value: unknown }
  | { op: 'unset'; path: string }
  | { op: 'increment' | 'max'; path: string; value: number };

const everything: Clause = { op: 'and', clauses: [] };

/** @throws {TypeError} on an invalid path, operator or operand, which is a bug of the caller */
export function parseFilter(filter: AnyFilter): Clause {
  const clauses: Clause[] = [];
  for (const key in filter) {
    const condition = filter[key];
    if (condition === undefined) {
      // A list's optional filter may be undefined; an id must not, because it would mean "any record".
      if (key === 'id') throw new TypeError('The id in a filter is undefined');
      continue;
    }
    if (key === 'and' || key === 'or') {
      if (!Array.isArray(condition)) throw new TypeError(`"${key}" takes a list of filters`);
      clauses.push({ op: key, clauses: condition.map(parseFilter) });
      continue;
    }
    if (Array.isArray(condition)) throw new TypeError(`The condition on "${key}" is a list; use "in"`);
    addConditions(clauses, checkPath(key), condition);
  }
  const [only] = clauses;
  if (only === undefined) return everything;
  return clauses.length === 1 ? only : { op: 'and', clauses };
}

function addConditions(clauses: Clause[], path: string, condition: unknown): void {
  if (condition === null || typeof condition !== 'object') {
    clauses.push({ op: 'eq', path, value: checkScalar(path, condition) });
    return;
  }
  const operators: [string, unknown][] = Object.entries(condition);
  for (const [operator, operand] of operators) {
    if (operand === undefined) continue;
    switch (operator) {
      case 'in':
        if (!Array.isArray(operand)) throw new TypeError(`"in" on "${path}" takes a list`);
        clauses.push({ op: 'in', path, values: operand.map((value) => checkScalar(path, value)) });
        break;
      case 'ne':
        clauses.push({ op: 'ne', path, value: checkScalar(path, operand) });
        break;
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
      case 'unindexedEq': {
        const value = checkScalar(path, operand);
        if (typeof value !== 'number' && typeof value !== 'string')
          throw new TypeError(`"${operator}" on "${path}" takes a number or a text`);
        clauses.push({ op: operator, path, value });
        break;
      }
      case 'startsWith':
      case 'contains':
        if (typeof operand !== 'string') throw new TypeError(`"${operator}" on "${path}" takes a text`);
        clauses.push({ op: operator, path, value: operand });
        break;
      case 'exists':
        if (typeof operand !== 'boolean') throw new TypeError(`"exists" on "${path}" takes true or false`);
        clauses.push({ op: 'exists', path, value: operand });
        break;
      default:
        throw new TypeError(`Unknown operator "${operator}" on "${path}"`);
    }
  }
}

function checkScalar(path: string, value: unknown): Scalar {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'object':
      if (value === null) return value;
      break;
    default:
  }
  throw new TypeError(`"${path}" is compared with something that is neither a text, a finite number, a boolean nor null`);
}

const allowedPath = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
/** Cache of valid paths: nearly all calls use the same few. */
const knownPaths = new Set<string>();
const mostKnownPaths = 1_000;

/** Paths go through objects, not lists. `_id`, `and` and `or` are reserved. */
export function checkPath(path: string): string {
  if (knownPaths.has(path)) return path;
  if (!allowedPath.test(path) || path === '_id' || path === 'and' || path === 'or') throw new TypeError(`"${path}" is not a field path`);
  if (knownPaths.size < mostKnownPaths) knownPaths.add(path);
  return path;
}

/** Returns the id that a filter requires, so that at most one record matches; undefined if it requires none. */
export function demandedId(clause: Clause): number | string | undefined {
  if (clause.op === 'and') {
    for (const part of clause.clauses) {
      const id = demandedId(part);
      if (id !== undefined) return id;
    }
    return undefined;
  }
  if (clause.op !== 'eq' || clause.path !== 'id') return undefined;
  return typeof clause.value === 'number' || typeof clause.value === 'string' ? clause.value : undefined;
}

/** Returns the smallest text greater than every text that starts with `prefix`; undefined if there is none. */
export function textAfterPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code >= 0x10ffff) continue;
    // Skips the surrogates.
    return characters.join('') + String.fromCodePoint(code >= 0xd7ff && code < 0xe000 ? 0xe000 : code + 1);
  }
  return undefined;
}

/**
 * @throws {TypeError} if a field appears in two parts, a number is not finite, or the patch is empty or changes the id
 */
export function parsePatch(patch: AnyPatch): PatchStep[] {
  const steps: PatchStep[] = [];
  if (patch.set !== undefined) {
    // As in an inserted record, undefined fields are omitted.
    for (const [path, value] of Object.entries(patch.set)) if (value !== undefined) steps.push({ op: 'set', path, value });
  }
  if (patch.unset !== undefined) for (const path of patch.unset) steps.push({ op: 'unset', path });
  if (patch.increment !== undefined) addNumbers(steps, 'increment', patch.increment);
  if (patch.max !== undefined) addNumbers(steps, 'max', patch.max);
  if (steps.length === 0) throw new TypeError('The patch is empty');
  for (const [position, { path }] of steps.entries()) {
    checkPath(path);
    if (path === 'id') throw new TypeError('An id cannot be changed');
    for (let before = 0; before < position; before += 1) {
      const other = steps[before]?.path ?? '';
      if (other === path || isWithin(other, path) || isWithin(path, other)) {
        throw new TypeError(`The patch changes "${path}" twice`);
      }
    }
  }
  return steps;
}

function isWithin(path: string, above: string): boolean {
  return path[above.length] === '.' && path.startsWith(above);
}

function addNumbers(steps: PatchStep[], op: 'increment' | 'max', numbers: Readonly<Record<string, number | undefined>>): void {
  for (const [path, value] of Object.entries(numbers)) {
    if (value === undefined || !Number.isFinite(value)) throw new TypeError(`"${op}" on "${path}" takes a finite number`);
    steps.push({ op, path, value });
  }
}

/** Adds the tie-break by id, in the direction of the last key. */
export function completeSort(sort: AnySort | undefined): AnySort {
  if (sort === undefined || sort.length === 0) return [['id', 1]];
  let last: 1 | -1 = 1;
  for (const [path, direction] of sort) {
    checkPath(path);
    if (path === 'id') return sort;
    last = direction;
  }
  return [...sort, ['id', last]];
}

/** Checks that a limit or skip is a whole number from 0. */
export function wholeNumber(value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('A limit or skip is a whole number from 0');
  return value;
}
