// A database as a process sees it that can be stopped (SIGSTOP, a dying machine) before or after any of its writes: from there on nothing of it
// reaches the database until it is thawed. Or a single write fails, carried out or not or later, as when the network goes away. The database itself
// is the real one.
import { type Collection, DatabaseUnavailable, type Stored } from '#server/db/collection.ts';
import type { Database, Write } from '#server/db/database.ts';

/** Late: the write sits in a network buffer and arrives after its sender has given up. */
export type FailureOf = 'before' | 'after' | 'late';

export interface FreezableDatabase extends Database {
  /** Stops at the `count`-th write from now, before it is carried out or before its answer arrives. */
  freezeAt(count: number, when: 'before' | 'after'): void;
  /** The `count`-th write from now fails, and so do the `further` ones after it. */
  failAt(count: number, when: FailureOf, further?: number): void;
  /** Carries out what is late. */
  deliver(): Promise<void>;
  /** Resolves when it has stopped. */
  readonly frozen: Promise<void>;
  readonly isFrozen: boolean;
  thaw(): void;
  /** Writes seen so far. */
  readonly writes: number;
}

export function makeFreezable(db: Database): FreezableDatabase {
  let writes = 0;
  let stopAt = Infinity;
  let stopWhen: 'before' | 'after' = 'before';
  let failures: { from: number; to: number; when: FailureOf } = { from: Infinity, to: Infinity, when: 'before' };
  const late: (() => Promise<unknown>)[] = [];
  let isFrozen = false;
  let noteFrozen = () => {};
  let frozen = new Promise<void>((resolve) => (noteFrozen = resolve));
  let release = () => {};
  let thawed = Promise.resolve();

  function freeze(): void {
    isFrozen = true;
    thawed = new Promise((resolve) => (release = resolve));
    noteFrozen();
  }

  async function reading<Result>(work: () => Promise<Result>): Promise<Result> {
    await thawed;
    const result = await work();
    // A process that froze does not learn the outcome of its pending operations either.
    await thawed;
    return result;
  }

  async function writing<Result>(work: () => Promise<Result>): Promise<Result> {
    await thawed;
    writes += 1;
    const stops = writes === stopAt ? stopWhen : null;
    if (stops === 'before') freeze();
    await thawed;
    const fails = writes >= failures.from && writes <= failures.to ? failures.when : null;
    if (fails === 'late') late.push(work);
    if (fails === 'before' || fails === 'late') throw new DatabaseUnavailable('A test has taken the database away');
    const result = await work();
    if (fails === 'after') throw new DatabaseUnavailable('A test has taken the database away');
    // Unless it was thawed meanwhile.
    if (stops === 'after' && stopAt !== Infinity) freeze();
    await thawed;
    return result;
  }

  function wrap<T extends Stored>(real: Collection<T>): Collection<T> {
    return {
      name: real.name,
      get: (id) => reading(() => real.get(id)),
      find: (filter, options) => reading(() => real.find(filter, options)),
      first: (filter, options) => reading(() => real.first(filter, options)),
      count: (filter, limit) => reading(() => real.count(filter, limit)),
      group: (request) => reading(() => real.group(request)),
      insert: (record) => writing(() => real.insert(record)),
      patch: (filter, patch, options) => writing(() => real.patch(filter, patch, options)),
      patchAll: (filter, patch) => writing(() => real.patchAll(filter, patch)),
      take: (filter, options) => writing(() => real.take(filter, options)),
      remove: (filter) => writing(() => real.remove(filter)),
      async *each(filter) {
        for await (const record of real.each(filter)) {
          await thawed;
          yield record;
        }
      },
    };
  }

  return {
    kind: db.kind,
    collection: (name) => wrap(db.collection(name)),
    async write(batch) {
      if (db.kind === 'embedded') return writing(() => db.write(batch));
      // Not atomic there: it may stop between any two of its writes.
      const results: boolean[] = [];
      for (const step of batch) results.push(...(await writing(() => db.write([step] satisfies Write[]))));
      return results;
    },
    async writeUnordered(batch) {
      if (db.kind === 'embedded') return writing(() => db.writeUnordered(batch));
      let count = 0;
      for (const step of batch) count += await writing(() => db.writeUnordered([step]));
      return count;
    },
    nextId: (name) => reading(() => db.nextId(name)),
    nextIds: (name, count) => reading(() => db.nextIds(name, count)),
    explain: (name, filter, options) => db.explain(name, filter, options),
    explainGroup: (name, request) => db.explainGroup(name, request),
    ping: () => reading(() => db.ping()),
    close: () => db.close(),
    freezeAt(count, when) {
      stopAt = writes + count;
      stopWhen = when;
      frozen = new Promise((resolve) => (noteFrozen = resolve));
    },
    failAt(count, when, further = 0) {
      failures = { from: writes + count, to: writes + count + further, when };
    },
    async deliver() {
      // Conflicts are dropped.
      for (const work of late.splice(0)) await work().catch(() => {});
    },
    get frozen() {
      return frozen;
    },
    get isFrozen() {
      return isFrozen;
    },
    thaw() {
      isFrozen = false;
      stopAt = Infinity;
      release();
    },
    get writes() {
      return writes;
    },
  };
}
