// A database some of whose verbs are looked at, or fail.
import { DatabaseUnavailable, type Filter, type GroupRequest, type GroupRow } from '#server/db/collection.ts';
import type { CollectionName, Database, Write } from '#server/db/database.ts';

/** Database that reports every requested sum, before its result is returned. */
export function watchGroups(
  db: Database,
  seen: (name: CollectionName, request: GroupRequest<unknown>, answer: readonly GroupRow[]) => Promise<void>,
): Database {
  return instead(db, {
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      return instead(collection, {
        group: async (request: GroupRequest<unknown>) => {
          const answer = await collection.group(request);
          await seen(name, request, answer);
          return answer;
        },
      });
    },
  });
}

/** A database that counts single records of one collection that are looked for. */
export function watchReads(db: Database, of: CollectionName): { db: Database; count(): number } {
  let reads = 0;
  const watched = instead(db, {
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      if (name !== of) return collection;
      return instead(collection, {
        first: (...given: Parameters<typeof collection.first>) => {
          reads += 1;
          return collection.first(...given);
        },
      });
    },
  });
  return { db: watched, count: () => reads };
}

/** A database that does something else right after single records of one collection are looked for. */
export function afterReads(db: Database, of: CollectionName, act: () => Promise<unknown>): Database {
  return instead(db, {
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      if (name !== of) return collection;
      return instead(collection, {
        first: async (...given: Parameters<typeof collection.first>) => {
          const found = await collection.first(...given);
          await act();
          return found;
        },
      });
    },
  });
}

/** A database that does something else right before single records of one collection are looked for. */
export function beforeReads(db: Database, of: CollectionName, act: () => Promise<unknown>): Database {
  return instead(db, {
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      if (name !== of) return collection;
      return instead(collection, {
        first: async (...given: Parameters<typeof collection.first>) => {
          await act();
          return collection.first(...given);
        },
      });
    },
  });
}

/** The same right after a record was read by its id. */
export function afterGets(db: Database, of: CollectionName, act: () => Promise<unknown>): Database {
  return instead(db, {
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      if (name !== of) return collection;
      return instead(collection, {
        get: async (...given: Parameters<typeof collection.get>) => {
          const found = await collection.get(...given);
          await act();
          return found;
        },
      });
    },
  });
}

/** A database that does something else right before a record is inserted. */
export function beforeInserts(db: Database, into: CollectionName, act: () => Promise<unknown>): Database {
  return instead(db, {
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      if (name !== into) return collection;
      return instead(collection, {
        insert: async (...given: Parameters<typeof collection.insert>) => {
          await act();
          return collection.insert(...given);
        },
      });
    },
  });
}

/** A database that refuses changes of one record. */
export function refusingPatches(db: Database, of: CollectionName, id: number): Database {
  return instead(db, {
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      if (name !== of) return collection;
      return instead(collection, {
        patch: async (...given: Parameters<typeof collection.patch>) => {
          if (Reflect.get(given[0], 'id') === id) throw new Error('The record is refused');
          return collection.patch(...given);
        },
      });
    },
  });
}

/** A database that takes no batch in which something is inserted there. */
export function refusingInserts(db: Database, into: CollectionName): Database {
  return instead(db, {
    write: (batch: readonly Write[]) => {
      const isRefused = batch.some((write) => 'insert' in write && write.into === into);
      return isRefused ? Promise.reject(new DatabaseUnavailable('A test has taken the database away')) : db.write(batch);
    },
  });
}

/**
 * A database whose writes fail once so many have been carried out.
 * @param except collection whose writes do not count, such as `jobs`: a lock that cannot be released is waited for
 */
export function failingWrites(db: Database, allowed: number, except?: CollectionName): Database {
  let left = allowed;
  const spend = () => {
    left -= 1;
    if (left < 0) throw new DatabaseUnavailable('A test has taken the database away');
  };
  return instead(db, {
    write: async (batch: readonly Write[]) => {
      spend();
      return db.write(batch);
    },
    collection: (name: CollectionName) => {
      const collection = db.collection(name);
      if (name === except) return collection;
      return instead(collection, {
        remove: async (filter: Filter<unknown>) => {
          spend();
          return collection.remove(filter);
        },
        patch: async (...given: Parameters<typeof collection.patch>) => {
          spend();
          return collection.patch(...given);
        },
      });
    },
  });
}

export function instead<T extends object>(target: T, parts: Record<string, unknown>): T {
  return new Proxy(target, {
    get(object, name) {
      if (typeof name === 'string' && Object.hasOwn(parts, name)) return parts[name];
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
