// Collection of the embedded engine.
import type { Collection, Filter, FindOptions, GroupRequest, GroupRow, Patch, Stored } from '#server/db/collection.ts';
import type { EmbeddedEngine } from '#server/db/embedded-engine.ts';
import { insertRecord, recordParameters, SqlText, type Table } from '#server/db/embedded-sql.ts';
import type { Scalar } from '#server/db/fields.ts';
import { demandedId, parseFilter, wholeNumber, type Clause } from '#server/db/filter.ts';

/** Rows that `patchAll` and `remove` change before the event loop runs. */
const rowsPerTurn = 200;
/** Maximum time of such a step. */
const turnMilliseconds = 10;
/** Sums returned at a time. */
const sumsPerTurn = 1_000;

export class EmbeddedCollection<T extends Stored> implements Collection<T> {
  readonly name: string;
  readonly #engine: EmbeddedEngine;
  readonly #table: Table;
  readonly #byId: string;

  constructor(engine: EmbeddedEngine, table: Table) {
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

  async find(filter: Filter<T>, options: FindOptions<T> = {}): Promise<T[]> {
    const clause = parseFilter(filter);
    const query = this.#engine.select('doc', this.#table, clause, options);
    const reach = (options.limit ?? Infinity) + (options.skip ?? 0);
    const rows = await this.#engine.rows(query, reach, demandedId(clause) !== undefined);
    return rows.map((row) => parse<T>(row['doc']));
  }

  async first(filter: Filter<T>, options: FindOptions<T> = {}): Promise<T | null> {
    const [first] = await this.find(filter, { ...options, limit: 1 });
    return first ?? null;
  }

  async count(filter: Filter<T>, limit?: number): Promise<number> {
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

  async patch(filter: Filter<T>, patch: Patch<T>, options: { insertIfMissing?: T } = {}): Promise<T | null> {
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

  async patchAll(filter: Filter<T>, patch: Patch<T>): Promise<number> {
    return this.#inTurns(filter, (clause) => this.#engine.patched(this.#table, clause, patch));
  }

  async remove(filter: Filter<T>): Promise<number> {
    return this.#inTurns(filter, (clause) => {
      const text = new SqlText(this.#table);
      return this.#engine.connection.run(`DELETE FROM "${this.name}" WHERE ${text.where(clause)}`, ...text.parameters) > 0;
    });
  }

  async take(filter: Filter<T>, { sort }: Pick<FindOptions<T>, 'sort'> = {}): Promise<T | null> {
    const { connection } = this.#engine;
    const inner = this.#engine.select('id', this.#table, parseFilter(filter), { sort, limit: 1 });
    const sql = `DELETE FROM "${this.name}" WHERE id = (${inner.sql}) RETURNING doc`;
    return this.#firstOf(await connection.write(() => connection.all(sql, inner.parameters)));
  }

  async *each(filter: Filter<T>): AsyncGenerator<T> {
    for await (const rows of this.#pages('doc, id', parseFilter(filter))) {
      for (const row of rows) yield parse<T>(row['doc']);
    }
  }

  async group(request: GroupRequest<T>): Promise<GroupRow[]> {
    const keys: readonly string[] = request.by;
    const sums = Object.keys(request.sum ?? {});
    const scales = Object.keys(request.scales ?? {});
    const rows = await this.#engine.summed(this.#engine.group(this.#table, request));
    const found: GroupRow[] = [];
    for (const row of rows) {
      const result: GroupRow = { count: Number(row['c0']) };
      for (const [position, key] of keys.entries()) result[key] = keyValue(row[`c${1 + 2 * position}`], row[`c${2 + 2 * position}`]);
      const values = 1 + 2 * keys.length;
      for (const [position, name] of sums.entries()) result[name] = Number(row[`c${values + position}`]);
      for (const [position, name] of scales.entries()) {
        const place = row[`c${values + sums.length + position}`];
        result[name] = place === null ? null : Number(place);
      }
      found.push(result);
      if (found.length % sumsPerTurn === 0) await new Promise(setImmediate);
    }
    return found;
  }

  /** Changes matches in steps of the event loop; the filter is checked again at each step. */
  async #inTurns(filter: Filter<T>, change: (clause: Clause) => boolean): Promise<number> {
    const { connection } = this.#engine;
    const clause = parseFilter(filter);
    const id = demandedId(clause);
    if (id !== undefined) return Number(await connection.write(() => change(clause)));
    let changed = 0;
    for await (const rows of this.#pages('id', clause)) {
      const ids = rows.map((row) => row['id']).filter((value) => typeof value === 'number' || typeof value === 'string');
      for (let start = 0; start < ids.length;) {
        const turn = ids.slice(start, start + rowsPerTurn);
        const done = await connection.write(() =>
          connection.transaction(() => {
            const end = performance.now() + turnMilliseconds;
            let [judged, hits] = [0, 0];
            // Records may be megabytes.
            for (const value of turn) {
              if (judged > 0 && performance.now() > end) break;
              judged += 1;
              if (change({ op: 'and', clauses: [{ op: 'eq', path: 'id', value }, clause] })) hits += 1;
            }
            return { judged, hits };
          }),
        );
        start += done.judged;
        changed += done.hits;
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

/** The table contains only records written by `insert` and `patch`, so the text has the type. */
function parse<T>(doc: unknown): T {
  const record: T = JSON.parse(String(doc));
  return record;
}

function keyValue(value: unknown, type: unknown): Scalar {
  if (type === 'true' || type === 'false') return type === 'true';
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}
