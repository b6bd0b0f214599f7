// The embedded engine: `node:sqlite`, one file, a table per collection with the record as JSON. Short reads and all writes
// run on the event loop's thread (a few microseconds each); what may take long is read in worker threads.
import type { Collection, Filter, FindOptions, GroupRequest, GroupRow, Patch, Scalar, Stored, Write } from '#server/db/collection.ts';
import { collections, type Records } from '#server/db/collections.ts';
import type { CollectionName, Database, QueryPlan } from '#server/db/database.ts';
import { Checkpoints } from '#server/db/embedded-checkpoints.ts';
import { EmbeddedConnection } from '#server/db/embedded-connection.ts';
import { applySchema, openFile } from '#server/db/embedded-file.ts';
import { readPlan, type ReadPlan } from '#server/db/embedded-plan.ts';
import { EmbeddedReader } from '#server/db/embedded-reader.ts';
import { describeTable, insertRecord, recordParameters, SqlText, type Parameter, type Table } from '#server/db/embedded-sql.ts';
import { checkPath, completeSort, demandedId, parseFilter, parsePatch, wholeNumber, type Clause } from '#server/db/filter.ts';
import { silentLog, type ThreadLog } from '#server/db/thread-log.ts';
import { IdBlocks } from '#server/db/ids.ts';

/** A table with this many rows may be scanned on the event loop. */
const smallTableRows = 500;
/** Reads of at most this many rows that an index answers stay on the event loop. */
const shortRead = 1_000;
/** Changed at once by `patchAll` and `remove`; the event loop runs between. */
const rowsPerTurn = 200;

/** @throws {DatabaseFileError} */
export async function openEmbedded(file: string, options: { synchronous?: 'normal' | 'full'; log?: ThreadLog } = {}): Promise<Database> {
  const native = openFile(file, options.synchronous ?? 'normal');
  const connection = new EmbeddedConnection(native);
  const tables = new Map<string, Table>();
  for (const [name, spec] of Object.entries(collections)) tables.set(name, describeTable(name, spec));
  try {
    await connection.write(() => connection.transaction(() => applySchema(native, [...tables.values()])));
  } catch (error) {
    await connection.close();
    throw error;
  }
  return new EmbeddedDatabase(file, connection, tables, options.log ?? silentLog);
}

class EmbeddedDatabase implements Database {
  readonly kind = 'embedded';
  readonly #engine: Engine;
  readonly #checkpoints: Checkpoints;
  readonly #ids: IdBlocks;
  #closed: Promise<void> | undefined;

  constructor(file: string, connection: EmbeddedConnection, tables: ReadonlyMap<string, Table>, log: ThreadLog) {
    this.#engine = new Engine(file, connection, tables, log);
    this.#ids = new IdBlocks((name, size) => this.#engine.drawIds(name, size));
    this.#checkpoints = new Checkpoints(file, log);
  }

  collection<Name extends CollectionName>(name: Name): Collection<Records[Name]> {
    return new EmbeddedCollection<Records[Name]>(this.#engine, this.#engine.table(name));
  }

  write(batch: readonly Write[]): Promise<boolean[]> {
    const { connection } = this.#engine;
    return connection.write(() => connection.transaction(() => batch.map((step) => this.#apply(step))));
  }

  #apply(step: Write): boolean {
    if ('insert' in step) return this.#engine.insert(this.#engine.table(step.into), step.insert, step.ignoreConflict === true);
    return this.#engine.patched(this.#engine.table(step.of), parseFilter(step.where), step.patch);
  }

  nextId(name: CollectionName): Promise<number> {
    return this.#ids.next(name);
  }

  nextIds(name: CollectionName, count: number): Promise<number[]> {
    return this.#ids.several(name, count);
  }

  async ping(): Promise<void> {
    await this.#engine.connection.read(() => this.#engine.connection.all('SELECT 1 FROM counters LIMIT 1', []));
  }

  async explain(name: CollectionName, filter: Filter, options: FindOptions = {}): Promise<QueryPlan> {
    const query = this.#engine.select('doc', this.#engine.table(name), parseFilter(filter), options);
    const { index, scans, sorts } = this.#engine.plan(query);
    return { index, scans, sorts };
  }

  async explainGroup(name: CollectionName, request: GroupRequest): Promise<QueryPlan> {
    const { index, scans, sorts } = this.#engine.plan(this.#engine.group(this.#engine.table(name), request));
    return { index, scans, sorts };
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#engine.close();
    await this.#checkpoints.close();
  }
}

interface Query {
  sql: string;
  parameters: Parameter[];
  text: SqlText;
}

/** What the collections of one file share. */
class Engine {
  readonly connection: EmbeddedConnection;
  readonly #file: string;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #plans = new Map<string, ReadPlan>();
  readonly #inserts = new Map<string, { plain: string; ignoring: string }>();
  readonly #sizes = new Map<string, { big: boolean; knownUntil: number }>();
  /** Lists and counts are not to wait behind statistics, so there are two readers. */
  readonly lists: EmbeddedReader;
  readonly sums: EmbeddedReader;

  constructor(file: string, connection: EmbeddedConnection, tables: ReadonlyMap<string, Table>, log: ThreadLog) {
    this.#file = file;
    this.connection = connection;
    this.#tables = tables;
    this.lists = new EmbeddedReader(this.#file, log);
    this.sums = new EmbeddedReader(this.#file, log);
  }

  table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw new TypeError(`There is no collection ${name}`);
    return table;
  }

  insert(table: Table, record: Stored, ignoreConflict: boolean): boolean {
    let statements = this.#inserts.get(table.name);
    if (statements === undefined) {
      const plain = insertRecord(table);
      this.#inserts.set(table.name, (statements = { plain, ignoring: `${plain} ON CONFLICT DO NOTHING` }));
    }
    return this.connection.run(ignoreConflict ? statements.ignoring : statements.plain, ...recordParameters(table, record)) === 1;
  }

  /** The record as text, if one matched. */
  patchFirst(table: Table, clause: Clause, patch: Patch): unknown {
    const { sql, parameters } = this.#update(table, clause, patch);
    return this.connection.all(`${sql} RETURNING doc`, parameters)[0]?.['doc'];
  }

  /** As `patchFirst`, for those who want to know only whether one matched. */
  patched(table: Table, clause: Clause, patch: Patch): boolean {
    const { sql, parameters } = this.#update(table, clause, patch);
    return this.connection.run(sql, ...parameters) === 1;
  }

  #update(table: Table, clause: Clause, patch: Patch): Pick<Query, 'sql' | 'parameters'> {
    const text = new SqlText(table);
    const target = `UPDATE "${table.name}" SET ${text.patched(parsePatch(patch))} WHERE `;
    const condition = text.where(clause);
    const which =
      demandedId(clause) !== undefined ? condition : `id = (SELECT id FROM "${table.name}" WHERE ${condition} ORDER BY id LIMIT 1)`;
    return { sql: target + which, parameters: text.parameters };
  }

  select(what: string, table: Table, clause: Clause, options: FindOptions = {}): Query {
    const text = new SqlText(table);
    let sql = `SELECT ${what} FROM "${table.name}" WHERE ${text.where(clause)}`;
    if (demandedId(clause) === undefined) sql += ` ORDER BY ${text.order(completeSort(options.sort))}`;
    const limit = wholeNumber(options.limit);
    const skip = wholeNumber(options.skip);
    if (limit !== undefined || skip !== undefined) sql += ` LIMIT ${text.bind(limit ?? -1)}`;
    if (skip !== undefined) sql += ` OFFSET ${text.bind(skip)}`;
    return { sql, parameters: text.parameters, text };
  }

  /** Columns `c0` (how many), then two of each key (value and type), then the sums. */
  group(table: Table, { by, sum = {}, filter = {} }: GroupRequest): Query {
    const text = new SqlText(table);
    const columns = ['count(*)'];
    for (const key of by.map(checkPath)) columns.push(text.field(key), key === 'id' ? "''" : `json_type(doc, ${text.path(key)})`);
    // total() adds in floating point with compensation: exact for whole numbers up to 2^53, and it cannot overflow.
    for (const path of Object.values(sum)) columns.push(`total(${text.field(checkPath(path))})`);
    let sql = `SELECT ${columns.map((column, position) => `${column} AS c${position}`).join(', ')} FROM "${table.name}" WHERE ${text.where(parseFilter(filter))}`;
    if (by.length > 0) sql += ` GROUP BY ${by.map((_, position) => `c${1 + 2 * position}`).join(', ')}`;
    return { sql, parameters: text.parameters, text };
  }

  plan(query: Query): ReadPlan {
    let plan = this.#plans.get(query.sql);
    if (plan === undefined) {
      plan = readPlan(this.connection.all(`EXPLAIN QUERY PLAN ${query.sql}`, query.parameters), query.text);
      if (this.#plans.size > 500) this.#plans.clear();
      this.#plans.set(query.sql, plan);
    }
    return plan;
  }

  /** Runs a query on the event loop when it is sure to be short, else in a worker thread. */
  async rows(query: Query, rows: number, isById: boolean): Promise<Record<string, unknown>[]> {
    const here = () => this.connection.all(query.sql, query.parameters);
    if (isById) return this.connection.read(here);
    const isShort = await this.connection.read(() => (rows <= shortRead && this.plan(query).isBounded) || !this.isBig(query.text.table));
    return isShort ? this.connection.read(here) : this.lists.all({ sql: query.sql, parameters: query.parameters });
  }

  async drawIds(name: string, size: number): Promise<number> {
    const sql =
      'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value RETURNING value';
    const rows = await this.connection.write(() => this.connection.all(sql, [name, size]));
    return Number(rows[0]?.['value']);
  }

  isBig(table: Table): boolean {
    const known = this.#sizes.get(table.name);
    if (known !== undefined && (known.big || performance.now() < known.knownUntil)) return known.big;
    const big = this.connection.all(`SELECT 1 FROM "${table.name}" LIMIT 1 OFFSET ${smallTableRows}`, []).length > 0;
    this.#sizes.set(table.name, { big, knownUntil: performance.now() + 1_000 });
    return big;
  }

  async close(): Promise<void> {
    await Promise.all([this.lists.close(), this.sums.close()]);
    await this.connection.close();
  }
}

class EmbeddedCollection<T extends Stored> implements Collection<T> {
  readonly name: string;
  readonly #engine: Engine;
  readonly #table: Table;
  readonly #byId: string;

  constructor(engine: Engine, table: Table) {
    this.name = table.name;
    this.#engine = engine;
    this.#table = table;
    this.#byId = `SELECT doc FROM "${table.name}" WHERE id = ?`;
  }

  async get(id: T['id']): Promise<T | null> {
    const { connection } = this.#engine;
    if ((typeof id === 'string') !== this.#table.textIds) return null;
    return this.#firstOf(await connection.read(() => connection.all(this.#byId, [id])));
  }

  async find(filter: Filter, options: FindOptions = {}): Promise<T[]> {
    const clause = parseFilter(filter);
    const query = this.#engine.select('doc', this.#table, clause, options);
    const reach = (options.limit ?? Infinity) + (options.skip ?? 0);
    const rows = await this.#engine.rows(query, reach, demandedId(clause) !== undefined);
    return rows.map((row) => parse<T>(row['doc']));
  }

  async first(filter: Filter, options: FindOptions = {}): Promise<T | null> {
    const [first] = await this.find(filter, { ...options, limit: 1 });
    return first ?? null;
  }

  async count(filter: Filter, limit?: number): Promise<number> {
    const text = new SqlText(this.#table);
    const clause = parseFilter(filter);
    let inner = `SELECT 1 FROM "${this.name}" WHERE ${text.where(clause)}`;
    const most = wholeNumber(limit);
    if (most !== undefined) inner += ` LIMIT ${text.bind(most)}`;
    const query = { sql: `SELECT count(*) AS count FROM (${inner})`, parameters: text.parameters, text };
    const rows = await this.#engine.rows(query, most ?? Infinity, demandedId(clause) !== undefined);
    return Number(rows[0]?.['count']);
  }

  async insert(record: T): Promise<void> {
    await this.#engine.connection.write(() => this.#engine.insert(this.#table, record, false));
  }

  async patch(filter: Filter, patch: Patch, options: { insertIfMissing?: T } = {}): Promise<T | null> {
    const { connection } = this.#engine;
    const clause = parseFilter(filter);
    const record = options.insertIfMissing;
    const change = () => this.#engine.patchFirst(this.#table, clause, patch);
    if (record === undefined) {
      const changed = await connection.write(change);
      return changed === undefined ? null : parse<T>(changed);
    }
    return connection.write(() =>
      connection.transaction(() => {
        const changed = change();
        if (changed !== undefined) return parse<T>(changed);
        const sql = `${insertRecord(this.#table)} ON CONFLICT (id) DO NOTHING RETURNING doc`;
        return this.#firstOf(connection.all(sql, recordParameters(this.#table, record)));
      }),
    );
  }

  async patchAll(filter: Filter, patch: Patch): Promise<number> {
    return this.#inTurns(filter, (clause) => this.#engine.patched(this.#table, clause, patch));
  }

  async remove(filter: Filter): Promise<number> {
    return this.#inTurns(filter, (clause) => {
      const text = new SqlText(this.#table);
      return this.#engine.connection.run(`DELETE FROM "${this.name}" WHERE ${text.where(clause)}`, ...text.parameters) > 0;
    });
  }

  async take(filter: Filter, { sort }: Pick<FindOptions, 'sort'> = {}): Promise<T | null> {
    const { connection } = this.#engine;
    const inner = this.#engine.select('id', this.#table, parseFilter(filter), { sort, limit: 1 });
    const sql = `DELETE FROM "${this.name}" WHERE id = (${inner.sql}) RETURNING doc`;
    return this.#firstOf(await connection.write(() => connection.all(sql, inner.parameters)));
  }

  async *each(filter: Filter): AsyncGenerator<T> {
    for await (const rows of this.#pages('doc, id', parseFilter(filter))) {
      for (const row of rows) yield parse<T>(row['doc']);
    }
  }

  async group(request: GroupRequest): Promise<GroupRow[]> {
    const keys = request.by;
    const sums = Object.keys(request.sum ?? {});
    const { sql, parameters } = this.#engine.group(this.#table, request);
    const rows = await this.#engine.sums.all({ sql, parameters });
    return rows.map((row) => {
      const result: GroupRow = { count: Number(row['c0']) };
      for (const [position, key] of keys.entries()) result[key] = keyValue(row[`c${1 + 2 * position}`], row[`c${2 + 2 * position}`]);
      for (const [position, name] of sums.entries()) result[name] = Number(row[`c${1 + 2 * keys.length + position}`]);
      return result;
    });
  }

  /** Changes what matches, some records a turn of the event loop, each judged by the filter once more when it is its turn. */
  async #inTurns(filter: Filter, change: (clause: Clause) => boolean): Promise<number> {
    const { connection } = this.#engine;
    const clause = parseFilter(filter);
    const id = demandedId(clause);
    if (id !== undefined) return Number(await connection.write(() => change(clause)));
    let changed = 0;
    for await (const rows of this.#pages('id', clause)) {
      const ids = rows.map((row) => row['id']).filter((value) => typeof value === 'number' || typeof value === 'string');
      for (let start = 0; start < ids.length; start += rowsPerTurn) {
        const turn = ids.slice(start, start + rowsPerTurn);
        changed += await connection.write(() =>
          connection.transaction(
            () => turn.filter((value) => change({ op: 'and', clauses: [{ op: 'eq', path: 'id', value }, clause] })).length,
          ),
        );
        await new Promise(setImmediate);
      }
    }
    return changed;
  }

  async *#pages(what: string, clause: Clause): AsyncGenerator<Record<string, unknown>[]> {
    const query = this.#engine.select(what, this.#table, clause);
    const { connection } = this.#engine;
    const isSmall = await connection.read(() => !this.#engine.isBig(this.#table));
    if (isSmall) {
      yield await connection.read(() => connection.all(query.sql, query.parameters));
      return;
    }
    yield* this.#engine.lists.pages({ sql: query.sql, parameters: query.parameters }, (last) => {
      const value = last['id'];
      if (typeof value !== 'number' && typeof value !== 'string') throw new TypeError('A page without ids cannot be resumed');
      const rest = this.#engine.select(what, this.#table, { op: 'and', clauses: [{ op: 'gt', path: 'id', value }, clause] });
      return { sql: rest.sql, parameters: rest.parameters };
    });
  }

  #firstOf(rows: readonly Record<string, unknown>[]): T | null {
    const [row] = rows;
    return row === undefined ? null : parse<T>(row['doc']);
  }
}

/** The table holds what `insert` and `patch` were given, so the text is a record of its type. */
function parse<T>(doc: unknown): T {
  const record: T = JSON.parse(String(doc));
  return record;
}

function keyValue(value: unknown, type: unknown): Scalar {
  if (type === 'true' || type === 'false') return type === 'true';
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}
