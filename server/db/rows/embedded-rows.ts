// Rows of the embedded engine.
import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { collections } from '#server/db/collections.ts';
import type { CollectionName } from '#server/db/database.ts';
import { applyTables, connectReadOnly, DatabaseFileError, openFile, readCopyState, wantedIndexes } from '#server/db/embedded-file.ts';
import { describeTable, insertRecord, recordParameters, type Table } from '#server/db/embedded-sql.ts';
import { pageBytes, pageRows, type CopyState, type Row, type RowId, type RowSource, type RowTarget } from '#server/db/rows/rows.ts';

/** Kibibytes of pages cached while rows are written and indexes are built. */
const cacheKibibytes = 65_536;

const tables = new Map<string, Table>();
for (const [name, spec] of Object.entries(collections)) tables.set(name, describeTable(name, spec));

function tableOf(name: string): Table {
  const table = tables.get(name);
  if (table === undefined) throw new TypeError(`There is no collection ${name}`);
  return table;
}

/**
 * Opens a file for reading. One read transaction is open until `close`, so all reads see one moment while servers write;
 * the write-ahead log grows meanwhile.
 * @throws {DatabaseFileError}
 */
export function openEmbeddedSource(file: string): RowSource {
  if (!existsSync(file)) throw new DatabaseFileError(`${file} does not exist`);
  const connection = connectReadOnly(file);
  connection.exec('BEGIN');
  // The first read, of the tables' names, fixes the moment.
  return new EmbeddedSource(connection);
}

class EmbeddedSource implements RowSource {
  readonly kind = 'embedded';
  readonly isSnapshot = true;
  readonly #connection: DatabaseSync;
  readonly #present: ReadonlySet<string>;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    // A file of an older program may not have all tables.
    this.#present = tablesOf(connection);
  }

  async counters(): Promise<Map<string, number>> {
    if (!this.#present.has('counters')) return new Map();
    const rows = this.#connection.prepare('SELECT name, value FROM counters').all();
    return new Map(rows.map((row) => [String(row['name']), Number(row['value'])]));
  }

  async count(name: CollectionName): Promise<number> {
    return this.#present.has(name) ? countRows(this.#connection, name) : 0;
  }

  async *pages(name: CollectionName, after?: RowId): AsyncGenerator<Row[]> {
    if (!this.#present.has(name)) return;
    const where = after === undefined ? '' : ' WHERE id > ?';
    const statement = this.#connection.prepare(`SELECT id, doc FROM "${name}"${where} ORDER BY id`);
    let page: Row[] = [];
    let bytes = 0;
    for (const { id, doc } of statement.iterate(...(after === undefined ? [] : [after]))) {
      if ((typeof id !== 'number' && typeof id !== 'string') || typeof doc !== 'string') throw new TypeError(`A row of ${name} is damaged`);
      page.push({ id, doc });
      bytes += doc.length;
      if (page.length < pageRows && bytes < pageBytes) continue;
      yield page;
      [page, bytes] = [[], 0];
    }
    if (page.length > 0) yield page;
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

/**
 * Opens a file for writing rows; tables are created without indexes.
 * @throws {DatabaseFileError}
 */
export function openEmbeddedTarget(file: string): RowTarget {
  const connection = openFile(file, 'normal', { isCopyTarget: true });
  try {
    connection.exec(`PRAGMA cache_size = -${cacheKibibytes}`);
    connection.exec('PRAGMA wal_autocheckpoint = 4000');
    // Indexes of a large table are sorted on disk.
    connection.exec('PRAGMA temp_store = FILE');
    return new EmbeddedTarget(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

class EmbeddedTarget implements RowTarget {
  readonly kind = 'embedded';
  readonly #connection: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  async state(): Promise<CopyState | null> {
    return readCopyState(this.#connection);
  }

  async occupied(): Promise<{ name: string; count: number } | null> {
    const present = tablesOf(this.#connection);
    for (const name of tables.keys()) {
      const count = present.has(name) ? countRows(this.#connection, name) : 0;
      if (count > 0) return { name, count };
    }
    return null;
  }

  async clear(): Promise<void> {
    const present = tablesOf(this.#connection);
    this.#inserts.clear();
    for (const name of tables.keys()) if (present.has(name)) this.#connection.exec(`DROP TABLE "${name}"`);
  }

  async saveState(state: CopyState): Promise<void> {
    this.#transaction(() => {
      applyTables(this.#connection, [...tables.values()]);
      this.#store(state);
    });
  }

  async removeAfter(name: CollectionName, after: RowId | undefined): Promise<void> {
    if (after === undefined) this.#connection.exec(`DELETE FROM "${name}"`);
    else this.#connection.prepare(`DELETE FROM "${name}" WHERE id > ?`).run(after);
  }

  async write(name: CollectionName, rows: readonly Row[], state: CopyState): Promise<void> {
    const table = tableOf(name);
    let insert = this.#inserts.get(name);
    if (insert === undefined) this.#inserts.set(name, (insert = this.#connection.prepare(insertRecord(table))));
    this.#transaction(() => {
      for (const row of rows) insert.run(...recordParameters(table, JSON.parse(row.doc)));
      this.#store(state);
    });
    // A read of the source is synchronous as well: signals and progress need a turn.
    await new Promise(setImmediate);
  }

  async finish(counters: ReadonlyMap<string, number>, onIndex: (built: number, all: number) => void): Promise<void> {
    const store = this.#connection.prepare(
      'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    );
    this.#transaction(() => {
      for (const [name, value] of counters) store.run(name, value);
    });
    const rows = this.#connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").all();
    const built = new Set(rows.map((row) => String(row['name'])));
    const wanted = [...wantedIndexes([...tables.values()])];
    for (const [position, [name, statement]] of wanted.entries()) {
      onIndex(position, wanted.length);
      if (built.has(name)) continue;
      // One transaction each, so that the write-ahead log stays short.
      this.#connection.exec(statement);
      await new Promise(setImmediate);
    }
    onIndex(wanted.length, wanted.length);
  }

  reader(): RowSource {
    return new EmbeddedSource(this.#connection);
  }

  async release(): Promise<void> {
    this.#connection.exec('DROP TABLE IF EXISTS copy_state');
    this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #store(state: CopyState): void {
    this.#connection.exec('CREATE TABLE IF NOT EXISTS copy_state (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL)');
    this.#connection.prepare('INSERT OR REPLACE INTO copy_state (id, value) VALUES (1, ?)').run(JSON.stringify(state));
  }

  #transaction(work: () => void): void {
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#connection.exec('COMMIT');
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }
}

function tablesOf(connection: DatabaseSync): Set<string> {
  const rows = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Set(rows.map((row) => String(row['name'])));
}

function countRows(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`SELECT count(*) AS count FROM "${name}"`).get()?.['count']);
}
