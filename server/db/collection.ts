// Interface of storage engines: conditional atomic updates of one record, upserts, batches, unique and sparse unique
// indexes, sums by keys. `tests/contract/` specifies it and runs against both engines.
import type { FieldAt, FieldPath, PathOf, Scalar } from '#server/db/fields.ts';

/** Type that a field is compared with; for a list, that of its elements. */
type Operand<Value> = unknown extends Value
  ? Scalar
  : Value extends readonly (infer Element)[]
    ? Extract<Element, Scalar>
    : Extract<Value, Scalar>;

/**
 * A condition on one field. A plain value means equality; `null` matches a stored null, not a missing field (`exists`
 * distinguishes them). `unindexedEq` is equality that never selects an index: of several, one should be plain.
 * `contains` and `startsWith` match literally; `contains` ignores ASCII case. On a list field, equality and `in` match
 * any element.
 */
export type Condition<Value> =
  | Operand<Value>
  | {
      in?: readonly Operand<Value>[];
      ne?: Operand<Value>;
      unindexedEq?: Extract<Operand<Value>, number | string>;
      gt?: Extract<Operand<Value>, number | string>;
      gte?: Extract<Operand<Value>, number | string>;
      lt?: Extract<Operand<Value>, number | string>;
      lte?: Extract<Operand<Value>, number | string>;
      startsWith?: Extract<Operand<Value>, string>;
      contains?: Extract<Operand<Value>, string>;
      exists?: boolean;
    };

/**
 * All conditions must hold. Keys are field paths (`leases.p1`); `and` and `or` combine whole filters. The compiler
 * detects misspelt keys in object literals: annotate variables with this type, and compute keys with functions that
 * return `FieldPath<T>`.
 */
export type Filter<T> = { [Path in FieldPath<T>]?: Condition<FieldAt<T, Path>> } & {
  and?: readonly Filter<T>[];
  or?: readonly Filter<T>[];
};

/** A filter on a field chosen at run time: `onField<LogRecord, 'user_id' | 'token_id'>(field, id)`. */
export function onField<T, Path extends FieldPath<T>>(path: Path, condition: Condition<FieldAt<T, Path>>): Filter<T>;
export function onField(path: string, condition: unknown): object {
  return { [path]: condition };
}

/** Changes to one record, applied atomically. Keys are field paths; a field may appear in one part only. */
export interface Patch<T> {
  set?: { [Path in Exclude<FieldPath<T>, 'id'>]?: FieldAt<T, Path> };
  /** Optional fields to remove. */
  unset?: readonly PathOf<T, undefined>[];
  /** Adds to numbers; a missing field counts as 0. */
  increment?: Increments<T>;
  /** Raises a number to at least this. */
  max?: Increments<T>;
}

export type Increments<T> = { [Path in Exclude<PathOf<T, number>, 'id'>]?: number };

export type Sort<T> = readonly (readonly [path: FieldPath<T>, direction: 1 | -1])[];

export interface FindOptions<T> {
  /** Ties are broken by `id` in the direction of the last key; without a sort the order is by `id` ascending. */
  sort?: Sort<T>;
  limit?: number;
  skip?: number;
}

export interface Stored {
  id: number | string;
}

export interface GroupRequest<T> {
  filter?: Filter<T>;
  /** Field paths to group by; if empty, one row over all. */
  by: readonly FieldPath<T>[];
  /** Name of the result column → field path to sum. */
  sum?: Record<string, PathOf<T, number>>;
  /** Name of the result column → scale whose bucket of a number is a key like those of `by`. */
  scales?: Record<string, Scale<PathOf<T, number>>>;
}

/**
 * Buckets: 0 below `least`; then ranges that grow by `ratio`, with the precision of logarithms; `last` for all beyond.
 * Null if there is no number.
 */
export interface Scale<Path extends string = string> {
  path: Path;
  least: number;
  ratio: number;
  last: number;
}

export type GroupRow = Record<string, Scalar> & { count: number };

export interface Collection<T extends Stored> {
  readonly name: string;
  get(id: T['id']): Promise<T | null>;
  find(filter: Filter<T>, options?: FindOptions<T>): Promise<T[]>;
  /** Returns the first record of `find`, or null. */
  first(filter: Filter<T>, options?: FindOptions<T>): Promise<T | null>;
  /** Counts up to `limit`: a result equal to `limit` means "at least". */
  count(filter: Filter<T>, limit?: number): Promise<number>;
  /** @throws {UniqueConflict} */
  insert(record: T): Promise<void>;
  /**
   * Changes the first match atomically, and returns the changed record; null if none matches. With `insertIfMissing`,
   * that record is created if its id does not exist (an existing record that does not match is left unchanged, and null
   * is returned).
   * @throws {UniqueConflict}
   */
  patch(filter: Filter<T>, patch: Patch<T>, options?: { insertIfMissing?: T }): Promise<T | null>;
  /** Changes every match, each atomically; returns their number. */
  patchAll(filter: Filter<T>, patch: Patch<T>): Promise<number>;
  /** Removes and returns the first match. */
  take(filter: Filter<T>, options?: Pick<FindOptions<T>, 'sort'>): Promise<T | null>;
  /** Removes every match; returns their number. */
  remove(filter: Filter<T>): Promise<number>;
  /** Yields every match in `id` order, in constant memory and without blocking the event loop. */
  each(filter: Filter<T>): AsyncIterable<T>;
  /** Sums by keys, off the event loop if the engine is embedded. */
  group(request: GroupRequest<T>): Promise<GroupRow[]>;
}

/**
 * Thrown by `insert` and `patch` on a duplicate in a unique index. `index` is the index's name if the engine reports
 * it.
 */
export class UniqueConflict extends Error {
  readonly collection: string;
  readonly index: string | undefined;
  constructor(collection: string, index: string | undefined, options?: ErrorOptions) {
    super(`A record with the same unique key exists in ${collection}${index === undefined ? '' : ` (${index})`}`, options);
    this.name = 'UniqueConflict';
    this.collection = collection;
    this.index = index;
  }
}

/** Thrown by every method while the engine is unavailable; becomes a 503. */
export class DatabaseUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
  }
}

/** The handle was closed; retrying is useless. */
export class DatabaseClosed extends DatabaseUnavailable {
  constructor(options?: ErrorOptions) {
    super('The database is closed', options);
    this.name = 'DatabaseClosed';
  }
}

/**
 * Definition of an index. `sparse`: excludes records without the first field (and does not require them to be unique);
 * in a unique index that is not sparse, every record has all fields. An indexed field holds scalars of one type, never
 * a list, and is unset rather than null in a sparse index.
 */
export interface IndexSpec {
  name: string;
  /** Field paths, descending with a leading `-`. */
  fields: readonly string[];
  unique?: boolean;
  sparse?: boolean;
}
