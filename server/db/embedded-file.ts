// Opens the embedded database. An existing file is inspected read-only first, so that a foreign, damaged or newer one
// is rejected unchanged.
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Table } from '#server/db/embedded-sql.ts';
import { createIndex, createTable, fillColumns, indexName } from '#server/db/embedded-tables.ts';
import { type CopyState, parseCopyState, unfinishedCopyText } from '#server/db/rows/rows.ts';

/** Unusable database file; the message is one line for the administrator. */
export class DatabaseFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseFileError';
  }
}

/** `PRAGMA user_version`. Raise it when older programs cannot read the file any more. */
const schemaVersion = 1;
/** `PRAGMA application_id`: "Tide". */
const applicationId = 0x54696465;
/** Maximum size of a file that is fully checked at startup. */
const largestCheckedFile = 32 * 1024 * 1024;

/** @param options.isCopyTarget a move or a restore writes into the file, and resumes one that has not ended */
export function openFile(file: string, synchronous: 'normal' | 'full', options: { isCopyTarget?: boolean } = {}): DatabaseSync {
  try {
    makeFolder(dirname(file));
    inspect(file, options.isCopyTarget === true);
    // Restricts the file to its owner.
    closeSync(openSync(file, 'a', 0o600));
    const connection = new DatabaseSync(file, { timeout: 5_000 });
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      // In WAL mode, `normal` preserves every commit if the process dies (kill -9), because it has reached the kernel.
      // A power cut can lose the last commits, never the file; `full` syncs each commit and preserves those too.
      connection.exec(`PRAGMA synchronous = ${synchronous}`);
      // Checkpoints run off the event loop, see embedded-checkpoint-worker.ts.
      connection.exec('PRAGMA wal_autocheckpoint = 0');
      connection.exec('PRAGMA cache_size = -24576');
      connection.exec('PRAGMA temp_store = MEMORY');
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  } catch (error) {
    if (error instanceof DatabaseFileError) throw error;
    throw new DatabaseFileError(`The database file ${file} that DATABASE_URL names cannot be opened: ${reason(error)}`, { cause: error });
  }
}

/**
 * Creates the folder and its parents. Node's recursive mode never ends if a folder rejects entries with ENOENT, as in
 * /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process has created it.
    if (!existsSync(folder)) throw error;
  }
}

/** Opens an existing file for reading, with the checks of `openFile`. */
export function connectReadOnly(file: string): DatabaseSync {
  try {
    inspect(file, false);
    return new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  } catch (error) {
    if (error instanceof DatabaseFileError) throw error;
    throw new DatabaseFileError(`The database file ${file} cannot be opened: ${reason(error)}`, { cause: error });
  }
}

function inspect(file: string, isCopyTarget: boolean): void {
  if (!existsSync(file)) return;
  const found = statSync(file);
  if (!found.isFile()) throw new DatabaseFileError(`${file} is not a file; DATABASE_URL must name a database file`);
  if (found.size === 0) return;
  const header = Buffer.alloc(16);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header, 0, 16, 0);
  } finally {
    closeSync(handle);
  }
  if (header.toString('latin1') !== 'SQLite format 3\0')
    throw new DatabaseFileError(`${file} is not a database; it was left as it is: let DATABASE_URL name another file`);

  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const version = pragma(connection, 'user_version');
    const application = pragma(connection, 'application_id');
    const tables = connection.prepare('SELECT name FROM sqlite_schema').all();
    if (application !== applicationId && tables.length > 0) {
      throw new DatabaseFileError(`${file} is the database of another program; it was left as it is: let DATABASE_URL name another file`);
    }
    if (version > schemaVersion) {
      throw new DatabaseFileError(
        `${file} was written by a newer version of Tidegate (format ${version}, known is ${schemaVersion}); it was left as it is`,
      );
    }
    const copy = isCopyTarget ? null : readCopyState(connection);
    if (copy !== null) throw new DatabaseFileError(`${file}: ${unfinishedCopyText(copy.kind)}`);
    if (found.size <= largestCheckedFile) {
      const result = connection.prepare('PRAGMA quick_check(1)').get();
      if (result?.['quick_check'] !== 'ok') throw new DatabaseFileError(`${file} is damaged; it was left as it is`);
    }
  } catch (error) {
    if (error instanceof DatabaseFileError) throw error;
    throw new DatabaseFileError(`${file} is damaged or cannot be read (${reason(error)}); it was left as it is`, { cause: error });
  } finally {
    connection.close();
  }
}

/** Reads the state of a move or restore that has not ended. */
export function readCopyState(connection: DatabaseSync): CopyState | null {
  if (connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'copy_state'").get() === undefined) return null;
  const value = connection.prepare('SELECT value FROM copy_state').get()?.['value'];
  return typeof value === 'string' ? parseCopyState(value) : null;
}

/** Statements that create the indexes, by name. */
export function wantedIndexes(tables: readonly Table[]): Map<string, string> {
  return new Map(tables.flatMap((table) => table.indexes.map((index) => [indexName(table, index), createIndex(table, index)] as const)));
}

/** Creates tables and columns as defined in `collections`, within a transaction. */
export function applyTables(connection: DatabaseSync, tables: readonly Table[]): void {
  connection.exec(`PRAGMA application_id = ${applicationId}`);
  connection.exec(`PRAGMA user_version = ${schemaVersion}`);
  connection.exec('CREATE TABLE IF NOT EXISTS counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID');
  for (const table of tables) {
    connection.exec(createTable(table));
    applyColumns(connection, table);
  }
}

/** Creates tables, columns and indexes, within a transaction; changed indexes are rebuilt. */
export function applySchema(connection: DatabaseSync, tables: readonly Table[]): void {
  const wanted = wantedIndexes(tables);
  for (const { name, sql } of connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").all()) {
    if (wanted.get(String(name)) === sql) wanted.delete(String(name));
    else connection.exec(`DROP INDEX "${String(name)}"`);
  }
  applyTables(connection, tables);
  for (const statement of wanted.values()) connection.exec(statement);
}

function applyColumns(connection: DatabaseSync, table: Table): void {
  const present = new Set(
    connection
      .prepare(`PRAGMA table_info("${table.name}")`)
      .all()
      .map((row) => `"${String(row['name'])}"`),
  );
  const added: string[] = [];
  for (const [field, column] of table.indexed) {
    if (present.delete(column)) continue;
    connection.exec(`ALTER TABLE "${table.name}" ADD COLUMN ${column}`);
    added.push(field);
  }
  if (added.length > 0) connection.exec(fillColumns(table, added));
  for (const column of present) {
    if (column.startsWith('"x_')) connection.exec(`ALTER TABLE "${table.name}" DROP COLUMN ${column}`);
  }
}

function pragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
