// The MongoDB engine, on what every compatible server has: no transactions, pipeline updates, partial indexes or change
// streams. The only file that imports the driver.
import { MongoClient, MongoBulkWriteError, type Collection as Native, type Db, type MongoClientOptions } from 'mongodb';
import type { Collection, Filter, FindOptions, GroupRequest, GroupRow, Patch, Scalar, Stored, Write } from '#server/db/collection.ts';
import { collections, type Records } from '#server/db/collections.ts';
import type { CollectionName, Database, QueryPlan } from '#server/db/database.ts';
import { DatabaseUrlError } from '#server/db/database-url.ts';
import { completeSort, demandedId, parseFilter, parsePatch, wholeNumber, type Clause, type PatchStep } from '#server/db/filter.ts';
import { IdBlocks } from '#server/db/ids.ts';
import { isDuplicate, MongoAvailability } from '#server/db/mongo-availability.ts';
import { readPlan } from '#server/db/mongo-plan.ts';
import { fieldOf, patchedRow, toIndexKey, toQuery, toRecord, toRow, toSort, toUpdate, type Row } from '#server/db/mongo-query.ts';

const pageRows = 500;

const clientOptions: MongoClientOptions = {
  appName: 'tidegate',
  // A server that is away is a 503 soon, not a call that hangs.
  serverSelectionTimeoutMS: 2_500,
  connectTimeoutMS: 2_000,
  waitQueueTimeoutMS: 5_000,
  // Also how soon a connection that leads nowhere is noticed.
  heartbeatFrequencyMS: 2_000,
  // An answer means that the write stays, whichever member fails next.
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  ignoreUndefined: true,
};

/** @throws {DatabaseUrlError} @throws {DatabaseUnavailable} */
export async function openMongo(url: string, name: string): Promise<Database> {
  let client: MongoClient;
  try {
    client = new MongoClient(url, clientOptions);
  } catch (cause) {
    throw new DatabaseUrlError(`DATABASE_URL: ${cause instanceof Error ? cause.message : 'not a MongoDB address'}`, { cause });
  }
  const database = new MongoDatabase(client, client.db(name));
  try {
    await database.prepare();
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

/** A row of `$group`: keys `k0`, `k1`, …, sums `s0`, `s1`, …. */
interface Group {
  _id: Record<string, unknown> | null;
  count: number;
  [sum: string]: unknown;
}

class MongoDatabase implements Database {
  readonly kind = 'mongodb';
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #availability: MongoAvailability;
  readonly #ids: IdBlocks;

  constructor(client: MongoClient, db: Db) {
    this.#client = client;
    this.#db = db;
    this.#availability = new MongoAvailability(() => db.command({ ping: 1 }));
    this.#ids = new IdBlocks((name, size) => this.#drawIds(name, size));
  }

  /** Brings the indexes up to date; several processes may do so at once. */
  async prepare(): Promise<void> {
    await this.ping();
    await Promise.all(Object.entries(collections).map(([name, { indexes }]) => this.#prepareCollection(name, indexes)));
  }

  async #prepareCollection(name: string, indexes: (typeof collections)[CollectionName]['indexes']): Promise<void> {
    const native = this.#native(name);
    for (const index of indexes) {
      const create = () =>
        native.createIndex(toIndexKey(index), {
          name: index.name,
          ...(index.unique === true ? { unique: true } : {}),
          ...(index.sparse === true ? { sparse: true } : {}),
        });
      await this.#availability.run(name, async () => {
        try {
          await create();
        } catch (error) {
          // 85, 86: an index of that name or of those fields exists and is different.
          if (!(error instanceof Error) || !('code' in error) || (error.code !== 85 && error.code !== 86)) throw error;
          await native.dropIndex(index.name);
          await create();
        }
      });
    }
  }

  collection<Name extends CollectionName>(name: Name): Collection<Records[Name]> {
    return new MongoCollection<Records[Name]>(name, this.#native(name), this.#availability);
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

  #insertRows(name: string, rows: Row[], ignoreConflict: boolean): Promise<boolean[]> {
    return this.#availability.run(name, async () => {
      const results = rows.map(() => true);
      try {
        // Out of order, a conflict does not keep the others out, and the answer names each that conflicted.
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
      const counters = this.#db.collection<{ _id: string; value: number }>('counters');
      for (;;) {
        // As it was before: see `patchedRow`.
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
    await this.#availability.run('', () => this.#db.command({ ping: 1 }));
  }

  async explain(name: CollectionName, filter: Filter, { sort, limit = 0, skip = 0 }: FindOptions = {}): Promise<QueryPlan | null> {
    const query = toQuery(parseFilter(filter));
    return this.#explain(name, () =>
      this.#native(name)
        .find(query, { sort: toSort(completeSort(sort)), limit, skip })
        .explain('queryPlanner'),
    );
  }

  async explainGroup(name: CollectionName, request: GroupRequest): Promise<QueryPlan | null> {
    return this.#explain(name, () => this.#native(name).aggregate(toPipeline(request)).explain('queryPlanner'));
  }

  #explain(name: CollectionName, ask: () => Promise<unknown>): Promise<QueryPlan | null> {
    return this.#availability.run(name, async () => {
      try {
        return readPlan(await ask());
      } catch (error) {
        // 59: the server does not know the command.
        if (error instanceof Error && 'code' in error && error.code === 59) return null;
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#availability.close();
    await this.#client.close();
  }

  #native(name: string): Native<Row> {
    if (!Object.hasOwn(collections, name)) throw new TypeError(`There is no collection ${name}`);
    return this.#db.collection<Row>(name);
  }
}

/** Neighbours that may go to the server together: inserts into one collection, and patches that say so. */
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

class MongoCollection<T extends Stored> implements Collection<T> {
  readonly name: string;
  readonly #native: Native<Row>;
  readonly #availability: MongoAvailability;

  constructor(name: string, native: Native<Row>, availability: MongoAvailability) {
    this.name = name;
    this.#native = native;
    this.#availability = availability;
  }

  async get(id: T['id']): Promise<T | null> {
    return this.#run(async () => this.#record(await this.#native.findOne({ _id: { $eq: id } })));
  }

  async find(filter: Filter, { sort, ...range }: FindOptions = {}): Promise<T[]> {
    const query = toQuery(parseFilter(filter));
    const order = toSort(completeSort(sort));
    const limit = wholeNumber(range.limit);
    const skip = wholeNumber(range.skip) ?? 0;
    // MongoDB takes 0 for "no limit".
    if (limit === 0) return [];
    return this.#run(async () =>
      (await this.#native.find(query, { sort: order, skip, limit: limit ?? 0 }).toArray()).map((row) => toRecord<T>(row)),
    );
  }

  async first(filter: Filter, options: FindOptions = {}): Promise<T | null> {
    const [first] = await this.find(filter, { ...options, limit: 1 });
    return first ?? null;
  }

  async count(filter: Filter, limit?: number): Promise<number> {
    const query = toQuery(parseFilter(filter));
    const most = wholeNumber(limit);
    if (most === 0) return 0;
    return this.#run(() => this.#native.countDocuments(query, most === undefined ? {} : { limit: most }));
  }

  async insert(record: T): Promise<void> {
    await this.#run(() => this.#native.insertOne(toRow(record)));
  }

  async patch(filter: Filter, patch: Patch, { insertIfMissing }: { insertIfMissing?: T } = {}): Promise<T | null> {
    const clause = parseFilter(filter);
    const steps = parsePatch(patch);
    return this.#run(async () => {
      const changed = await this.#patchFirst(clause, steps);
      if (changed !== null || insertIfMissing === undefined) return changed;
      try {
        await this.#native.insertOne(toRow(insertIfMissing));
        return toRecord<T>(toRow(insertIfMissing));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        const existing = await this.#native.findOne({ _id: { $eq: insertIfMissing.id } }, { projection: { _id: 1 } });
        // Another unique index refused.
        if (existing === null) throw error;
        // The record was there and does not match, or it came in between and is to be changed now.
        return this.#patchFirst(clause, steps);
      }
    });
  }

  async #patchFirst(clause: Clause, steps: readonly PatchStep[]): Promise<T | null> {
    const sort = demandedId(clause) === undefined ? { sort: { _id: 1 } as const } : {};
    const before = await this.#native.findOneAndUpdate(toQuery(clause), toUpdate(steps), { returnDocument: 'before', ...sort });
    return this.#record(before === null ? null : patchedRow(before, steps));
  }

  async patchAll(filter: Filter, patch: Patch): Promise<number> {
    const query = toQuery(parseFilter(filter));
    const update = toUpdate(parsePatch(patch));
    return this.#run(async () => (await this.#native.updateMany(query, update)).matchedCount);
  }

  async take(filter: Filter, { sort }: Pick<FindOptions, 'sort'> = {}): Promise<T | null> {
    const query = toQuery(parseFilter(filter));
    return this.#run(async () => this.#record(await this.#native.findOneAndDelete(query, { sort: toSort(completeSort(sort)) })));
  }

  async remove(filter: Filter): Promise<number> {
    const query = toQuery(parseFilter(filter));
    return this.#run(async () => (await this.#native.deleteMany(query)).deletedCount);
  }

  /** By pages of ids rather than with one cursor, which would not outlive a slow consumer or a change of the primary. */
  async *each(filter: Filter): AsyncGenerator<T> {
    const query = toQuery(parseFilter(filter));
    for (let after: Record<string, unknown> = {}; ;) {
      const rows = await this.#run(() => this.#native.find({ $and: [after, query] }, { sort: { _id: 1 }, limit: pageRows }).toArray());
      for (const row of rows) yield toRecord<T>(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = { _id: { $gt: last._id } };
    }
  }

  async group(request: GroupRequest): Promise<GroupRow[]> {
    const sums = Object.entries(request.sum ?? {});
    const found = await this.#run(() => this.#native.aggregate<Group>(toPipeline(request)).toArray());
    // MongoDB keeps missing and null apart as keys; for us both are null.
    const rows = new Map<string, GroupRow>();
    if (request.by.length === 0) rows.set('[]', emptyRow(sums));
    for (const { _id: key, count, ...values } of found) {
      const parts = request.by.map((_, position) => scalarOf(key?.[`k${position}`]));
      const place = JSON.stringify(parts);
      const row = rows.get(place) ?? emptyRow(sums);
      row.count += count;
      for (const [position, path] of request.by.entries()) row[path] = parts[position] ?? null;
      for (const [position, [name]] of sums.entries()) row[name] = Number(row[name]) + Number(values[`s${position}`]);
      rows.set(place, row);
    }
    return [...rows.values()];
  }

  #run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#availability.run(this.name, work);
  }

  #record(row: Row | null): T | null {
    return row === null ? null : toRecord<T>(row);
  }
}

function emptyRow(sums: readonly (readonly [name: string, path: string])[]): GroupRow {
  const row: GroupRow = { count: 0 };
  for (const [name] of sums) row[name] = 0;
  return row;
}

function scalarOf(value: unknown): Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function toPipeline({ by, sum = {}, filter = {} }: GroupRequest): Record<string, unknown>[] {
  const keys: Record<string, string> = {};
  for (const [position, path] of by.entries()) keys[`k${position}`] = `$${fieldOf(path)}`;
  const totals: Record<string, { $sum: string }> = {};
  for (const [position, path] of Object.values(sum).entries()) totals[`s${position}`] = { $sum: `$${fieldOf(path)}` };
  return [{ $match: toQuery(parseFilter(filter)) }, { $group: { _id: by.length === 0 ? null : keys, count: { $sum: 1 }, ...totals } }];
}
