// One open file of the embedded engine: builds statements of parsed filters and patches, and decides where they run.
import type { Stored } from '#server/db/collection.ts';
import type { EmbeddedConnection } from '#server/db/embedded-connection.ts';
import { readPlan, type ReadPlan } from '#server/db/embedded-plan.ts';
import { EmbeddedReader } from '#server/db/embedded-reader.ts';
import { bindNumbers, shapedStatement, type ShapedStatement } from '#server/db/embedded-shape.ts';
import type { RepeatedChange } from '#server/db/repeated-change.ts';
import type { CollectionName } from '#server/db/database.ts';
import { insertRecord, recordParameters, SqlText, type Parameter, type Table } from '#server/db/embedded-sql.ts';
import {
  checkPath,
  completeSort,
  demandedId,
  parseFilter,
  parsePatch,
  wholeNumber,
  type AnyFindOptions,
  type AnyGroupRequest,
  type AnyPatch,
  type Clause,
} from '#server/db/filter.ts';
import type { ThreadLog } from '#server/db/thread-log.ts';

/** Maximum rows of a table that may be scanned on the event loop. */
const smallTableRows = 500;
/** Maximum rows of an indexed read on the event loop. */
const shortRead = 1_000;

interface Query {
  sql: string;
  parameters: Parameter[];
  text: SqlText;
}

/** State shared by the collections of a file. */
export class EmbeddedEngine {
  readonly connection: EmbeddedConnection;
  readonly #file: string;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #plans = new Map<string, ReadPlan>();
  readonly #inserts = new Map<string, { plain: string; ignoring: string }>();
  readonly #shapes = new WeakMap<object, ShapedStatement>();
  readonly #sizes = new Map<string, { big: boolean; knownUntil: number }>();
  /** Separate reader threads, so that lists and counts do not wait behind statistics. */
  readonly lists: EmbeddedReader;
  readonly #sums: EmbeddedReader;

  constructor(file: string, connection: EmbeddedConnection, tables: ReadonlyMap<string, Table>, log: ThreadLog) {
    this.#file = file;
    this.connection = connection;
    this.#tables = tables;
    this.lists = new EmbeddedReader(this.#file, log);
    this.#sums = new EmbeddedReader(this.#file, log);
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

  /** Returns the record as text, if one matched. */
  patchFirst(table: Table, clause: Clause, patch: AnyPatch): unknown {
    const { sql, parameters } = this.#update(new SqlText(table), clause, patch);
    return this.connection.all(`${sql} RETURNING doc`, parameters)[0]?.['doc'];
  }

  /** Same as `patchFirst`, but returns only whether one matched. */
  patched(table: Table, clause: Clause, patch: AnyPatch): boolean {
    const { sql, parameters } = this.#update(new SqlText(table), clause, patch);
    return this.connection.run(sql, ...parameters) === 1;
  }

  /** Same as `patched`, with a statement cached for all changes of the shape. */
  repeated({ of, shape, numbers }: RepeatedChange<CollectionName>): boolean {
    let statement = this.#shapes.get(shape);
    if (statement === undefined) {
      statement = shapedStatement(shape.count, (examples) => {
        const { where, patch } = shape.build(examples);
        return this.#update(new SqlText(this.table(of), { isRepeated: true }), parseFilter(where), patch);
      });
      this.#shapes.set(shape, statement);
    }
    return this.connection.run(statement.sql, ...bindNumbers(statement, numbers)) === 1;
  }

  /** Removes the first match; returns false if there is none. */
  removed(table: Table, clause: Clause): boolean {
    const { sql, parameters } = this.select('id', table, clause, { limit: 1 });
    return this.connection.run(`DELETE FROM "${table.name}" WHERE id = (${sql})`, ...parameters) === 1;
  }

  #update(text: SqlText, clause: Clause, patch: AnyPatch): Pick<Query, 'sql' | 'parameters'> {
    const { table } = text;
    const target = `UPDATE "${table.name}" SET ${text.patched(parsePatch(patch))} WHERE `;
    const condition = text.where(clause);
    const which =
      demandedId(clause) !== undefined ? condition : `id = (SELECT id FROM "${table.name}" WHERE ${condition} ORDER BY id LIMIT 1)`;
    return { sql: target + which, parameters: text.parameters };
  }

  select(what: string, table: Table, clause: Clause, options: AnyFindOptions = {}): Query {
    const text = new SqlText(table);
    let sql = `SELECT ${what} FROM "${table.name}" WHERE ${text.where(clause)}`;
    if (demandedId(clause) === undefined) sql += ` ORDER BY ${text.order(completeSort(options.sort))}`;
    const limit = wholeNumber(options.limit);
    const skip = wholeNumber(options.skip);
    if (limit !== undefined || skip !== undefined) sql += ` LIMIT ${text.bind(limit ?? -1)}`;
    if (skip !== undefined) sql += ` OFFSET ${text.bind(skip)}`;
    return { sql, parameters: text.parameters, text };
  }

  /** Columns: `c0` (count), two per key (value and type), the sums, then the buckets of scales. */
  group(table: Table, { by, sum = {}, filter = {}, scales = {} }: AnyGroupRequest): Query {
    const text = new SqlText(table);
    const columns = ['count(*)'];
    for (const key of by.map(checkPath)) columns.push(text.field(key), text.typeOf(key));
    // total() adds floats with compensation: exact for integers up to 2^53, and without overflow.
    for (const path of Object.values(sum)) columns.push(`total(${text.field(checkPath(path))})`);
    const keys = by.map((_, position) => `c${1 + 2 * position}`);
    for (const scale of Object.values(scales)) keys.push(`c${columns.push(text.place(scale)) - 1}`);
    let sql = `SELECT ${columns.map((column, position) => `${column} AS c${position}`).join(', ')} FROM "${table.name}" WHERE ${text.where(parseFilter(filter))}`;
    if (keys.length > 0) sql += ` GROUP BY ${keys.join(', ')}`;
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

  /** Runs a query on the event loop if it is certain to be short, else in a worker thread. */
  async rows(query: Query, rows: number, isById: boolean): Promise<Record<string, unknown>[]> {
    const here = () => this.connection.all(query.sql, query.parameters);
    if (isById) return this.connection.read(here);
    const isShort = await this.connection.read(() => (rows <= shortRead && this.plan(query).isBounded) || !this.isBig(query.text.table));
    return isShort ? this.connection.read(here) : this.lists.all({ sql: query.sql, parameters: query.parameters });
  }

  /** Runs a query of unbounded size: on the event loop for a small table, else in a separate worker thread. */
  async summed({ sql, parameters, text: { table } }: Query): Promise<Record<string, unknown>[]> {
    const isShort = await this.connection.read(() => !this.isBig(table));
    return isShort ? this.connection.read(() => this.connection.all(sql, parameters)) : this.#sums.all({ sql, parameters });
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
    await Promise.all([this.lists.close(), this.#sums.close()]);
    await this.connection.close();
  }
}
