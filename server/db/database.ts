import type { Collection, Filter, FindOptions, GroupRequest, Patch } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';

export type CollectionName = keyof Records;

/** One step of a batch. */
export type Write = { [Name in CollectionName]: Insertion<Name> | Change<Name> }[CollectionName];

interface Insertion<Name extends CollectionName> {
  insert: Records[Name];
  into: Name;
  /** A record whose unique keys exist already is left out silently. */
  ignoreConflict?: boolean;
}

interface Change<Name extends CollectionName> {
  patch: Patch<Records[Name]>;
  of: Name;
  where: Filter<Records[Name]>;
  /** Neighbours that all say so may be applied at the same time, which saves round trips on MongoDB. */
  anyOrder?: boolean;
}

interface Removal<Name extends CollectionName> {
  /** The first record that matches. */
  remove: Filter<Records[Name]>;
  from: Name;
}

export type UnorderedWrite = { [Name in CollectionName]: Change<Name> | Removal<Name> }[CollectionName];

export interface QueryPlan {
  /** The name of the index in `collections`, `id` for the records' own order, undefined for none. */
  index: string | undefined;
  /** Reads records one by one to find those that match. */
  scans: boolean;
  /** Sorts what it found, because no index has that order. */
  sorts: boolean;
}

export interface Database {
  readonly kind: 'embedded' | 'mongodb';
  collection<Name extends CollectionName>(name: Name): Collection<Records[Name]>;
  /**
   * Applies the writes in order, as one durable group. On the embedded engine this is one transaction; on MongoDB each
   * write is atomic by itself and they are applied in order, so a batch must be harmless when it stops half-way and is
   * repeated. Returns, for each write, whether it took effect.
   */
  write(batch: readonly Write[]): Promise<boolean[]>;
  /**
   * Applies changes and removals of one collection in any order, in one round trip, and returns how many took effect. For those that are
   * harmless when they are repeated: where it fails, some may have been applied.
   */
  writeUnordered(batch: readonly UnorderedWrite[]): Promise<number>;
  /** A number never handed out before for that collection; drawn from blocks, so gaps occur. */
  nextId(name: CollectionName): Promise<number>;
  /** `count` such numbers, growing. */
  nextIds(name: CollectionName, count: number): Promise<number[]>;
  /** How the engine would answer a `find`; null when it cannot tell. */
  explain<Name extends CollectionName>(
    name: Name,
    filter: Filter<Records[Name]>,
    options?: FindOptions<Records[Name]>,
  ): Promise<QueryPlan | null>;
  /** The same of a `group`. `sorts`: it brings the rows in order by their keys first. */
  explainGroup<Name extends CollectionName>(name: Name, request: GroupRequest<Records[Name]>): Promise<QueryPlan | null>;
  /** @throws {DatabaseUnavailable} */
  ping(): Promise<void>;
  close(): Promise<void>;
}
