// Measures the operations of a database. Wraps it only while metrics are on.
import {
  type Collection,
  DatabaseUnavailable,
  type Filter,
  type FindOptions,
  type GroupRequest,
  type GroupRow,
  type Patch,
  type Stored,
  UniqueConflict,
} from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';
import type { CollectionName, Database } from '#server/db/database.ts';
import type { Histogram, Registry } from '#server/telemetry/registry.ts';

type Measures = <Result>(operation: string, work: () => Promise<Result>) => Promise<Result>;

export function watchDatabase(db: Database, registry: Registry): Database {
  const byCollection = new Map<string, Measures>();
  const measuresOf = (collection: string): Measures => {
    let measures = byCollection.get(collection);
    if (measures === undefined) byCollection.set(collection, (measures = createMeasures(registry, db.kind, collection)));
    return measures;
  };
  const own = measuresOf('');
  return {
    kind: db.kind,
    collection: <Name extends CollectionName>(name: Name): Collection<Records[Name]> =>
      new WatchedCollection<Records[Name]>(db.collection(name), measuresOf(name)),
    write: (batch) => own('write', () => db.write(batch)),
    writeUnordered: (batch) => own('write_unordered', () => db.writeUnordered(batch)),
    nextId: (name) => own('next_ids', () => db.nextId(name)),
    nextIds: (name, count) => own('next_ids', () => db.nextIds(name, count)),
    explain: (name, filter, options) => db.explain(name, filter, options),
    explainGroup: (name, request) => db.explainGroup(name, request),
    ping: () => own('ping', () => db.ping()),
    close: () => db.close(),
  };
}

class WatchedCollection<T extends Stored> implements Collection<T> {
  readonly name: string;
  readonly #collection: Collection<T>;
  readonly #measure: Measures;

  constructor(collection: Collection<T>, measure: Measures) {
    this.name = collection.name;
    this.#collection = collection;
    this.#measure = measure;
  }

  get(id: T['id']): Promise<T | null> {
    return this.#measure('get', () => this.#collection.get(id));
  }
  find(filter: Filter<T>, options?: FindOptions<T>): Promise<T[]> {
    return this.#measure('find', () => this.#collection.find(filter, options));
  }
  first(filter: Filter<T>, options?: FindOptions<T>): Promise<T | null> {
    return this.#measure('first', () => this.#collection.first(filter, options));
  }
  count(filter: Filter<T>, limit?: number): Promise<number> {
    return this.#measure('count', () => this.#collection.count(filter, limit));
  }
  insert(record: T): Promise<void> {
    return this.#measure('insert', () => this.#collection.insert(record));
  }
  patch(filter: Filter<T>, patch: Patch<T>, options?: { insertIfMissing?: T }): Promise<T | null> {
    return this.#measure('patch', () => this.#collection.patch(filter, patch, options));
  }
  patchAll(filter: Filter<T>, patch: Patch<T>): Promise<number> {
    return this.#measure('patch_all', () => this.#collection.patchAll(filter, patch));
  }
  take(filter: Filter<T>, options?: Pick<FindOptions<T>, 'sort'>): Promise<T | null> {
    return this.#measure('take', () => this.#collection.take(filter, options));
  }
  remove(filter: Filter<T>): Promise<number> {
    return this.#measure('remove', () => this.#collection.remove(filter));
  }
  /** Not measured: it is read as fast as its reader takes it. */
  each(filter: Filter<T>): AsyncIterable<T> {
    return this.#collection.each(filter);
  }
  group(request: GroupRequest<T>): Promise<GroupRow[]> {
    return this.#measure('group', () => this.#collection.group(request));
  }
}

/** @param collection empty for operations of several collections */
function createMeasures(registry: Registry, kind: Database['kind'], collection: string): Measures {
  const system = { 'db.system.name': kind === 'mongodb' ? 'mongodb' : 'sqlite' };
  const labels = collection === '' ? system : { ...system, 'db.collection.name': collection };
  const done = new Map<string, Histogram>();
  const doneOf = (operation: string): Histogram => {
    let histogram = done.get(operation);
    if (histogram === undefined) {
      histogram = registry.histogram('databaseDuration', { ...labels, 'db.operation.name': operation });
      done.set(operation, histogram);
    }
    return histogram;
  };
  return async (operation, work) => {
    const startedAt = performance.now();
    try {
      const result = await work();
      doneOf(operation).record((performance.now() - startedAt) / 1000);
      return result;
    } catch (cause) {
      const failed = registry.histogram('databaseDuration', { ...labels, 'db.operation.name': operation, 'error.type': errorOf(cause) });
      failed.record((performance.now() - startedAt) / 1000);
      throw cause;
    }
  };
}

function errorOf(cause: unknown): string {
  if (cause instanceof UniqueConflict) return 'conflict';
  return cause instanceof DatabaseUnavailable ? 'unavailable' : 'rejected';
}
