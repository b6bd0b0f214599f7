// Interface of the database, which both engines implement.
import type { Collection, Filter, FindOptions, GroupRequest, Patch } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';

export type CollectionName = keyof Records;

/** One step of a batch. */
export type Write = { [Name in CollectionName]: Insertion<Name> | Change<Name> }[CollectionName];

interface Insertion<Name extends CollectionName> {
  insert: Records[Name];
  into: Name;
  /** Skips a record whose unique keys exist. */
  ignoreConflict?: boolean;
}

interface Change<Name extends CollectionName> {
  patch: Patch<Records[Name]>;
  of: Name;
  where: Filter<Records[Name]>;
  /** Adjacent writes with this flag may be applied concurrently, which saves round trips on MongoDB. */
  anyOrder?: boolean;
}

interface Removal<Name extends CollectionName> {
  /** Removes the first match. */
  remove: Filter<Records[Name]>;
  from: Name;
}

export type UnorderedWrite = { [Name in CollectionName]: Change<Name> | Removal<Name> }[CollectionName];

export interface QueryPlan {
  /** Name of the index in `collections`, `id` for the primary key, undefined for none. */
  index: string | undefined;
  /** Whether records are read one by one to match them. */
  scans: boolean;
  /** Whether the matches are sorted, because no index has the order. */
  sorts: boolean;
}

export interface Database {
  readonly kind: 'embedded' | 'mongodb';
  collection<Name extends CollectionName>(name: Name): Collection<Records[Name]>;
  /**
   * Applies the writes in order, as one durable group. On the embedded engine this is one transaction; on MongoDB each
   * write is atomic by itself and they are applied in order, so a batch must be harmless if it stops half-way and is
   * repeated. Returns whether each write took effect.
   */
  write(batch: readonly Write[]): Promise<boolean[]>;
  /**
   * Applies idempotent changes and removals of one collection in any order, in one round trip, and returns how many
   * took effect. On failure, some may have been applied.
   */
  writeUnordered(batch: readonly UnorderedWrite[]): Promise<number>;
  /** Returns a number never returned before for that collection; drawn from blocks, so gaps occur. */
  nextId(name: CollectionName): Promise<number>;
  /** Returns `count` such numbers, ascending. */
  nextIds(name: CollectionName, count: number): Promise<number[]>;
  /** Returns the query plan of a `find`; null if the engine cannot report it. */
  explain<Name extends CollectionName>(
    name: Name,
    filter: Filter<Records[Name]>,
    options?: FindOptions<Records[Name]>,
  ): Promise<QueryPlan | null>;
  /** Returns the query plan of a `group`. `sorts`: whether the rows are sorted by their keys first. */
  explainGroup<Name extends CollectionName>(name: Name, request: GroupRequest<Records[Name]>): Promise<QueryPlan | null>;
  /** Checks that the database responds. @throws {DatabaseUnavailable} */
  ping(): Promise<void>;
  close(): Promise<void>;
}
