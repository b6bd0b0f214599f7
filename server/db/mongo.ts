// The MongoDB engine, limited to what every compatible server supports: no transactions, pipeline updates, partial
// indexes or change streams. Only the mongo-… files use the driver.
import {
  MongoClient,
  MongoBulkWriteError,
  type Collection as Native,
  type Db,
  type IndexDescription,
  type MongoClientOptions,
} from 'mongodb';
import type { Collection, Filter, FindOptions, GroupRequest, IndexSpec } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';
import { collections } from '#server/db/collections.ts';
import type { CollectionName, Database, QueryPlan, UnorderedWrite, Write } from '#server/db/database.ts';
import { DatabaseUrlError } from '#server/db/database-url.ts';
import { completeSort, demandedId, parseFilter, parsePatch } from '#server/db/filter.ts';
import { IdBlocks } from '#server/db/ids.ts';
import { isDuplicate, MongoAvailability } from '#server/db/mongo-availability.ts';
import { MongoCollection, toPipeline } from '#server/db/mongo-collection.ts';
import { readPlan } from '#server/db/mongo-plan.ts';
import { toIndexKey, toQuery, toRow, toSort, toUpdate, type Row } from '#server/db/mongo-query.ts';
import { readCopyState } from '#server/db/rows/mongo-copy-state.ts';
import { unfinishedCopyText } from '#server/db/rows/rows.ts';
import { inParallel } from '#server/queues/in-parallel.ts';

export const clientOptions: MongoClientOptions = {
  appName: 'tidegate',
  // An unavailable server becomes a 503 soon, instead of hanging calls.
  serverSelectionTimeoutMS: 2_500,
  connectTimeoutMS: 2_000,
  waitQueueTimeoutMS: 5_000,
  // Also the time in which a dead connection is detected.
  heartbeatFrequencyMS: 2_000,
  // A confirmed write survives the failure of any member.
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  ignoreUndefined: true,
  // Closes the connection of an operation that was given up; the driver's `timeoutMS` has no effect. See decision 46.
  socketTimeoutMS: 15_000,
};

/** For slow operations: indexing a large collection, sums of the log. */
export const longClientOptions: MongoClientOptions = {
  ...clientOptions,
  socketTimeoutMS: 600_000,
  // Networks drop connections that are idle for minutes, without an answer to later packets.
  maxIdleTimeMS: 60_000,
};

/** For copies of whole databases, which take long and wait for a server that is slow or elects a new primary. */
export const copyClientOptions: MongoClientOptions = {
  ...longClientOptions,
  serverSelectionTimeoutMS: 60_000,
  connectTimeoutMS: 30_000,
  waitQueueTimeoutMS: 60_000,
  heartbeatFrequencyMS: 10_000,
};

const pingMilliseconds = 3_000;
/** Number of collections prepared in parallel, each over its own connection. */
const preparedAtOnce = 8;

/**
 * Connects to the server, and updates the indexes unless `hasSchema` is set.
 * @param name name of the database
 * @param options.prefix of the names of collections: those of a restore, before it replaces the others
 * @throws {DatabaseUrlError} if the driver rejects the URL, or the server its credentials
 * @throws {DatabaseUnavailable} if the server is unreachable
 */
export async function openMongo(url: string, name: string, { hasSchema = false, prefix = '' } = {}): Promise<Database> {
  let clients: { client: MongoClient; longClient: MongoClient };
  try {
    clients = { client: new MongoClient(url, clientOptions), longClient: new MongoClient(url, longClientOptions) };
  } catch (cause) {
    throw new DatabaseUrlError(`DATABASE_URL: ${cause instanceof Error ? cause.message : 'not a MongoDB address'}`, { cause });
  }
  const database = new MongoDatabase(clients, name, prefix);
  try {
    await database.connect();
    await database.refuseUnfinishedCopy();
    if (!hasSchema) await database.prepare();
  } catch (error) {
    await database.close();
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 18) {
      throw new DatabaseUrlError('DATABASE_URL: MongoDB refuses the user name or the password', { cause });
    }
    throw error;
  }
  return database;
}

class MongoDatabase implements Database {
  readonly kind = 'mongodb';
  readonly #clients: MongoClient[];
  readonly #db: Db;
  readonly #longDb: Db;
  readonly #prefix: string;
  readonly #availability: MongoAvailability;
  readonly #ids: IdBlocks;

  constructor({ client, longClient }: { client: MongoClient; longClient: MongoClient }, name: string, prefix: string) {
    this.#prefix = prefix;
    this.#clients = [client, longClient];
    this.#db = client.db(name);
    this.#longDb = longClient.db(name);
    const ping = (db: Db) => db.command({ ping: 1 }, { signal: AbortSignal.timeout(pingMilliseconds) });
    this.#availability = new MongoAvailability({
      ping: () => ping(this.#db),
      pingAll: () => Promise.all([ping(this.#db), ping(this.#longDb)]),
    });
    this.#ids = new IdBlocks((counter, size) => this.#drawIds(counter, size));
  }

  async connect(): Promise<void> {
    // The first connection may take longer than a ping.
    await this.#availability.run('', () => this.#db.command({ ping: 1 }));
  }

  /** @throws {DatabaseUrlError} if the database is the target of a move or restore that has not ended */
  async refuseUnfinishedCopy(): Promise<void> {
    const state = await this.#availability.run('copy_state', () => readCopyState(this.#db));
    if (state !== null) throw new DatabaseUrlError(unfinishedCopyText(state.kind));
  }

  /** Updates the indexes; several processes may do so concurrently. */
  async prepare(): Promise<void> {
    await inParallel(Object.entries(collections), preparedAtOnce, ([name, { indexes }]) => this.#prepareCollection(name, indexes));
  }

  async #prepareCollection(name: string, indexes: readonly IndexSpec[]): Promise<void> {
    const native = this.#native(name, this.#longDb);
    const create = (some: readonly IndexSpec[]) => native.createIndexes(some.map(describeIndex));
    const replace = async (index: IndexSpec) => {
      await orWhenDifferent(
        () => create([index]),
        async () => {
          await native.dropIndex(index.name);
          await create([index]);
        },
      );
    };
    // One command creates all indexes, so that the server reads the collection once. If one index differs, none is created.
    const createAll = () =>
      orWhenDifferent(
        () => create(indexes),
        async () => {
          for (const index of indexes) await replace(index);
        },
      );
    if (indexes.length > 0) await this.#availability.run(name, createAll, { isLong: true });
  }

  collection<Name extends CollectionName>(name: Name): Collection<Records[Name]> {
    const natives = { native: this.#native(name), longNative: this.#native(name, this.#longDb) };
    return new MongoCollection<Records[Name]>(name, natives, this.#availability);
  }

  async write(batch: readonly Write[]): Promise<boolean[]> {
    const results: boolean[] = [];
    let start = 0;
    while (start < batch.length) {
      const end = endOfRun(batch, start);
      const run = batch.slice(start, end);
      const inserts = run.filter((step) => 'insert' in step);
      const [insert] = inserts;
      if (insert !== undefined) {
        const rows = inserts.map((step) => toRow(step.insert));
        results.push(...(await this.#insertRows(insert.into, rows, insert.ignoreConflict === true)));
      } else {
        results.push(...(await Promise.all(run.map((step) => this.#patchOne(step)))));
      }
      start = end;
    }
    return results;
  }

  async writeUnordered(batch: readonly UnorderedWrite[]): Promise<number> {
    const [first] = batch;
    if (first === undefined) return 0;
    const name = 'remove' in first ? first.from : first.of;
    const operations = batch.map((step) =>
      'remove' in step
        ? { deleteOne: { filter: toQuery(parseFilter(step.remove)) } }
        : { updateOne: { filter: toQuery(parseFilter(step.where)), update: toUpdate(parsePatch(step.patch)) } },
    );
    return this.#availability.run(name, async () => {
      const { matchedCount, deletedCount } = await this.#native(name).bulkWrite(operations, { ordered: false });
      return matchedCount + deletedCount;
    });
  }

  #insertRows(name: string, rows: Row[], ignoreConflict: boolean): Promise<boolean[]> {
    return this.#availability.run(name, async () => {
      const results = rows.map(() => true);
      try {
        // Unordered, a conflict does not prevent the other inserts, and the response lists all conflicts.
        await this.#native(name).insertMany(rows, { ordered: !ignoreConflict });
      } catch (error) {
        if (!ignoreConflict || !(error instanceof MongoBulkWriteError)) throw error;
        const failures: readonly { code: number; index: number }[] = Array.isArray(error.writeErrors)
          ? error.writeErrors
          : [error.writeErrors];
        if (
          failures.length === 0 ||
          failures.some((failure) => failure.code !== 11000) ||
          error.result.getWriteConcernError() !== undefined
        )
          throw error;
        for (const failure of failures) results[failure.index] = false;
      }
      return results;
    });
  }

  #patchOne(step: Write): Promise<boolean> {
    if ('insert' in step) throw new TypeError('Not a patch');
    const clause = parseFilter(step.where);
    const update = toUpdate(parsePatch(step.patch));
    return this.#availability.run(step.of, async () => {
      if (demandedId(clause) !== undefined) return (await this.#native(step.of).updateOne(toQuery(clause), update)).matchedCount === 1;
      return (await this.#native(step.of).findOneAndUpdate(toQuery(clause), update, { sort: { _id: 1 }, projection: { _id: 1 } })) !== null;
    });
  }

  nextId(name: CollectionName): Promise<number> {
    return this.#ids.next(name);
  }

  nextIds(name: CollectionName, count: number): Promise<number[]> {
    return this.#ids.several(name, count);
  }

  #drawIds(name: CollectionName, size: number): Promise<number> {
    return this.#availability.run('counters', async () => {
      const counters = this.#db.collection<{ _id: string; value: number }>(`${this.#prefix}counters`);
      for (;;) {
        // The previous value: see `patchedRow`.
        const counter = await counters.findOneAndUpdate({ _id: name }, { $inc: { value: size } }, { returnDocument: 'before' });
        if (counter !== null) return counter.value + size;
        try {
          await counters.insertOne({ _id: name, value: 0 });
        } catch (error) {
          // Another process has just created it.
          if (!isDuplicate(error)) throw error;
        }
      }
    });
  }

  async ping(): Promise<void> {
    await this.#availability.ping();
  }

  async explain<Name extends CollectionName>(
    name: Name,
    filter: Filter<Records[Name]>,
    { sort, limit = 0, skip = 0 }: FindOptions<Records[Name]> = {},
  ): Promise<QueryPlan | null> {
    const query = toQuery(parseFilter(filter));
    return this.#explain(name, () =>
      this.#native(name)
        .find(query, { sort: toSort(completeSort(sort)), limit, skip })
        .explain('queryPlanner'),
    );
  }

  async explainGroup<Name extends CollectionName>(name: Name, request: GroupRequest<Records[Name]>): Promise<QueryPlan | null> {
    return this.#explain(name, () => this.#native(name).aggregate(toPipeline(request)).explain('queryPlanner'));
  }

  #explain(name: CollectionName, run: () => Promise<unknown>): Promise<QueryPlan | null> {
    return this.#availability.run(name, async () => {
      try {
        return readPlan(await run());
      } catch (error) {
        // 59: the server does not support the command.
        if (error instanceof Error && 'code' in error && error.code === 59) return null;
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#availability.close();
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  #native(name: string, db = this.#db): Native<Row> {
    if (!Object.hasOwn(collections, name)) throw new TypeError(`There is no collection ${name}`);
    return db.collection<Row>(this.#prefix + name);
  }
}

/** End of the adjacent writes that can be sent together: inserts into one collection, and patches with `anyOrder`. */
function endOfRun(batch: readonly Write[], start: number): number {
  const first = batch[start];
  let end = start + 1;
  for (let next = batch[end]; first !== undefined && next !== undefined; next = batch[end]) {
    const together =
      'insert' in first
        ? 'insert' in next && next.into === first.into && next.ignoreConflict === first.ignoreConflict
        : first.anyOrder === true && !('insert' in next) && next.anyOrder === true;
    if (!together) break;
    end += 1;
  }
  return end;
}

export function describeIndex(index: IndexSpec): IndexDescription {
  return {
    key: toIndexKey(index),
    name: index.name,
    ...(index.unique === true ? { unique: true } : {}),
    ...(index.sparse === true ? { sparse: true } : {}),
  };
}

async function orWhenDifferent(create: () => Promise<unknown>, otherwise: () => Promise<void>): Promise<void> {
  try {
    await create();
  } catch (error) {
    // 85, 86: an index of that name or with those fields exists and differs.
    if (!(error instanceof Error) || !('code' in error) || (error.code !== 85 && error.code !== 86)) throw error;
    await otherwise();
  }
}
