// Collection of the MongoDB engine.
import type { Collection as Native } from 'mongodb';
import type { Collection, Filter, FindOptions, GroupRequest, GroupRow, Patch, Scale, Stored } from '#server/db/collection.ts';
import type { Scalar } from '#server/db/fields.ts';
import {
  completeSort,
  demandedId,
  parseFilter,
  parsePatch,
  wholeNumber,
  type AnyGroupRequest,
  type Clause,
  type PatchStep,
} from '#server/db/filter.ts';
import { isDuplicate, type MongoAvailability } from '#server/db/mongo-availability.ts';
import { fieldOf, patchedRow, toQuery, toRecord, toRow, toSort, toUpdate, type Row } from '#server/db/mongo-query.ts';

const pageRows = 500;

/** Row of `$group`: keys `k0`, `k1`, …, sums `s0`, `s1`, …. */
interface Group {
  _id: Record<string, unknown> | null;
  count: number;
  [sum: string]: unknown;
}

const insertAttempts = 3;

export interface Natives {
  native: Native<Row>;
  /** Client for operations on many records. */
  longNative: Native<Row>;
}

export class MongoCollection<T extends Stored> implements Collection<T> {
  readonly name: string;
  readonly #native: Native<Row>;
  readonly #longNative: Native<Row>;
  readonly #availability: MongoAvailability;

  constructor(name: string, { native, longNative }: Natives, availability: MongoAvailability) {
    this.name = name;
    this.#native = native;
    this.#longNative = longNative;
    this.#availability = availability;
  }

  async get(id: T['id']): Promise<T | null> {
    return this.#run(async () => this.#record(await this.#native.findOne({ _id: { $eq: id } })));
  }

  async find(filter: Filter<T>, { sort, ...range }: FindOptions<T> = {}): Promise<T[]> {
    const query = toQuery(parseFilter(filter));
    const order = toSort(completeSort(sort));
    const limit = wholeNumber(range.limit);
    const skip = wholeNumber(range.skip) ?? 0;
    // MongoDB reads 0 as "no limit".
    if (limit === 0) return [];
    return this.#runLong(async (native) =>
      (await native.find(query, { sort: order, skip, limit: limit ?? 0 }).toArray()).map((row) => toRecord<T>(row)),
    );
  }

  async first(filter: Filter<T>, { sort, skip }: FindOptions<T> = {}): Promise<T | null> {
    const query = toQuery(parseFilter(filter));
    const options = { sort: toSort(completeSort(sort)), skip: wholeNumber(skip) ?? 0 };
    return this.#run(async () => this.#record(await this.#native.findOne(query, options)));
  }

  async count(filter: Filter<T>, limit?: number): Promise<number> {
    const query = toQuery(parseFilter(filter));
    const most = wholeNumber(limit);
    if (most === 0) return 0;
    return this.#runLong((native) => native.countDocuments(query, most === undefined ? {} : { limit: most }));
  }

  async insert(record: T): Promise<void> {
    await this.#run(() => this.#native.insertOne(toRow(record)));
  }

  async patch(filter: Filter<T>, patch: Patch<T>, { insertIfMissing }: { insertIfMissing?: T } = {}): Promise<T | null> {
    const clause = parseFilter(filter);
    const steps = parsePatch(patch);
    return this.#run(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const changed = await this.#patchFirst(clause, steps);
        if (changed !== null || insertIfMissing === undefined) return changed;
        try {
          await this.#native.insertOne(toRow(insertIfMissing));
          return toRecord<T>(toRow(insertIfMissing));
        } catch (error) {
          if (!isDuplicate(error)) throw error;
          const existing = await this.#native.findOne({ _id: { $eq: insertIfMissing.id } }, { projection: { _id: 1 } });
          // The record exists and does not match, or was inserted concurrently and is patched now.
          if (existing !== null) return this.#patchFirst(clause, steps);
          // The record was deleted meanwhile, or another unique index conflicts: then the retry fails as well.
          if (attempt === insertAttempts) throw error;
        }
      }
    });
  }

  async #patchFirst(clause: Clause, steps: readonly PatchStep[]): Promise<T | null> {
    const sort = demandedId(clause) === undefined ? { sort: { _id: 1 } as const } : {};
    const before = await this.#native.findOneAndUpdate(toQuery(clause), toUpdate(steps), { returnDocument: 'before', ...sort });
    return this.#record(before === null ? null : patchedRow(before, steps));
  }

  async patchAll(filter: Filter<T>, patch: Patch<T>): Promise<number> {
    const query = toQuery(parseFilter(filter));
    const update = toUpdate(parsePatch(patch));
    return this.#runLong(async (native) => (await native.updateMany(query, update)).matchedCount);
  }

  async take(filter: Filter<T>, { sort }: Pick<FindOptions<T>, 'sort'> = {}): Promise<T | null> {
    const query = toQuery(parseFilter(filter));
    return this.#run(async () => this.#record(await this.#native.findOneAndDelete(query, { sort: toSort(completeSort(sort)) })));
  }

  async remove(filter: Filter<T>): Promise<number> {
    const query = toQuery(parseFilter(filter));
    return this.#runLong(async (native) => (await native.deleteMany(query)).deletedCount);
  }

  /** Pages by id instead of one cursor, which would not survive a slow reader or a change of the primary. */
  async *each(filter: Filter<T>): AsyncGenerator<T> {
    const query = toQuery(parseFilter(filter));
    for (let after: Record<string, unknown> = {}; ;) {
      const rows = await this.#runLong((native) => native.find({ $and: [after, query] }, { sort: { _id: 1 }, limit: pageRows }).toArray());
      for (const row of rows) yield toRecord<T>(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = { _id: { $gt: last._id } };
    }
  }

  async group(request: GroupRequest<T>): Promise<GroupRow[]> {
    const keys: readonly string[] = [...request.by, ...Object.keys(request.scales ?? {})];
    const sums = Object.entries(request.sum ?? {});
    const found = await this.#runLong((native) => native.aggregate<Group>(toPipeline(request)).toArray());
    // MongoDB distinguishes missing and null keys; both are null here.
    const rows = new Map<string, GroupRow>();
    if (keys.length === 0) rows.set('[]', emptyRow(sums));
    for (const { _id: key, count, ...values } of found) {
      const parts = keys.map((_, position) => scalarOf(key?.[`k${position}`]));
      const place = JSON.stringify(parts);
      const row = rows.get(place) ?? emptyRow(sums);
      row.count += count;
      for (const [position, path] of keys.entries()) row[path] = parts[position] ?? null;
      for (const [position, [name]] of sums.entries()) row[name] = Number(row[name]) + Number(values[`s${position}`]);
      rows.set(place, row);
    }
    return [...rows.values()];
  }

  #run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#availability.run(this.name, work);
  }

  #runLong<Result>(work: (native: Native<Row>) => Promise<Result>): Promise<Result> {
    return this.#availability.run(this.name, () => work(this.#longNative), { isLong: true });
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

export function toPipeline({ by, sum = {}, filter = {}, scales = {} }: AnyGroupRequest): Record<string, unknown>[] {
  const keys: Record<string, unknown> = {};
  for (const [position, path] of by.entries()) keys[`k${position}`] = `$${fieldOf(path)}`;
  for (const [position, scale] of Object.values(scales).entries()) keys[`k${by.length + position}`] = placeOn(scale);
  const totals: Record<string, { $sum: string }> = {};
  for (const [position, path] of Object.values(sum).entries()) totals[`s${position}`] = { $sum: `$${fieldOf(path)}` };
  return [
    { $match: toQuery(parseFilter(filter)) },
    { $group: { _id: Object.keys(keys).length === 0 ? null : keys, count: { $sum: 1 }, ...totals } },
  ];
}

function placeOn({ path, least, ratio, last }: Scale): Record<string, unknown> {
  const field = `$${fieldOf(path)}`;
  const steps = { $floor: { $multiply: [{ $ln: { $divide: [{ $max: [field, least] }, least] } }, 1 / Math.log(ratio)] } };
  const place = { $cond: [{ $lt: [field, least] }, 0, { $min: [last, { $add: [1, steps] }] }] };
  // For other types, one of the two is false.
  return { $cond: [{ $and: [{ $gte: [field, 0] }, { $lt: [field, Number.MAX_SAFE_INTEGER] }] }, place, null] };
}
