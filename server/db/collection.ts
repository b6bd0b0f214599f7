// What every storage engine offers, and no more: conditional atomic updates of one record, upserts, batches, unique and
// sparse unique indexes, sums by keys. `tests/contract/` is its specification and runs against both engines.

export type Scalar = string | number | boolean | null;

/**
 * A condition on one field. A plain value means equality; `null` matches a stored null, not a missing field (`exists`
 * tells those apart). `unindexedEq` is equality that never chooses the index: of several, one should be plain. `contains` and `startsWith` match literally; `contains` ignores ASCII case. On a field that holds a list, equality and
 * `in` match any element.
 */
export type Condition =
  | Scalar
  | {
      in?: readonly Scalar[];
      ne?: Scalar;
      unindexedEq?: number | string;
      gt?: number | string;
      gte?: number | string;
      lt?: number | string;
      lte?: number | string;
      startsWith?: string;
      contains?: string;
      exists?: boolean;
    };

/** All conditions must hold. Keys are field paths (`leases.p1`); `and` and `or` combine whole filters. */
export interface Filter {
  [path: string]: Condition | readonly Filter[] | undefined;
  and?: readonly Filter[];
  or?: readonly Filter[];
}

/** Changes to one record, applied atomically. Keys are field paths; a field may appear in one part only. */
export interface Patch {
  set?: Record<string, unknown>;
  unset?: readonly string[];
  /** A missing field counts as 0. */
  increment?: Record<string, number>;
  /** Raises a number to at least this. */
  max?: Record<string, number>;
}

export type Sort = readonly (readonly [path: string, direction: 1 | -1])[];

export interface FindOptions {
  /** Ties are broken by `id` in the direction of the last key; without a sort the order is by `id` ascending. */
  sort?: Sort;
  limit?: number;
  skip?: number;
}

export interface Stored {
  id: number | string;
}

export interface GroupRequest {
  filter?: Filter;
  /** Field paths to group by; empty: one row over all. */
  by: readonly string[];
  /** Name of the result column → field path to sum. */
  sum?: Record<string, string>;
}

export type GroupRow = Record<string, Scalar> & { count: number };

export interface Collection<T extends Stored> {
  readonly name: string;
  get(id: T['id']): Promise<T | null>;
  find(filter: Filter, options?: FindOptions): Promise<T[]>;
  /** The first of `find`, or null. */
  first(filter: Filter, options?: FindOptions): Promise<T | null>;
  /** Counts, but not beyond `limit`: a return value equal to `limit` means "at least". */
  count(filter: Filter, limit?: number): Promise<number>;
  /** @throws {UniqueConflict} */
  insert(record: T): Promise<void>;
  /**
   * Changes the first record that matches, atomically, and returns it as it is afterwards; null when none matches. With
   * `insertIfMissing`, a record of that id is created instead when no record of that id exists (a record of that id which
   * does not match the rest of the filter is left alone and null is returned).
   * @throws {UniqueConflict}
   */
  patch(filter: Filter, patch: Patch, options?: { insertIfMissing?: T }): Promise<T | null>;
  /** Changes every record that matches, each atomically; returns how many. */
  patchAll(filter: Filter, patch: Patch): Promise<number>;
  /** Removes the first record that matches and returns it. */
  take(filter: Filter, options?: Pick<FindOptions, 'sort'>): Promise<T | null>;
  /** Removes every record that matches; returns how many. */
  remove(filter: Filter): Promise<number>;
  /** Every record that matches, in `id` order, in constant memory and without blocking the event loop. */
  each(filter: Filter): AsyncIterable<T>;
  /** Sums by keys, off the event loop where the engine is in this process. */
  group(request: GroupRequest): Promise<GroupRow[]>;
}

/** One step of a batch. */
export type Write =
  /** `ignoreConflict`: a record whose unique keys exist already is left out silently. */
  | { insert: Stored; into: string; ignoreConflict?: boolean }
  /** `anyOrder`: neighbours that all say so may be applied at the same time, which saves round trips on MongoDB. */
  | { patch: Patch; of: string; where: Filter; anyOrder?: boolean };

/** Thrown by `insert` and `patch` when a unique index refuses. `index` is the index's name where the engine tells it. */
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

/** Thrown by every verb while the engine cannot be reached. Becomes a 503. */
export class DatabaseUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
  }
}

/** The handle was closed: waiting will not help. */
export class DatabaseClosed extends DatabaseUnavailable {
  constructor(options?: ErrorOptions) {
    super('The database is closed', options);
    this.name = 'DatabaseClosed';
  }
}

/**
 * An index as data. `sparse`: records without the first field are not in it (and not unique among each other); in a unique
 * index that is not sparse every record has all fields. An indexed field holds scalars of one type, never a list, and is
 * unset rather than null in a sparse index.
 */
export interface IndexSpec {
  name: string;
  /** Field paths, descending with a leading `-`. */
  fields: readonly string[];
  unique?: boolean;
  sparse?: boolean;
}
