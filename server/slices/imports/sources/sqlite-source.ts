import { DatabaseSync } from 'node:sqlite';
import { backticks, greatestStatement, pageStatement, totalsOf, totalStatement } from './sql-text.ts';
import { type SourceDatabase, SourceError, type SourceRow } from './source-database.ts';

/** SQLITE_NOTADB, https://www.sqlite.org/rescode.html#notadb */
const notADatabase = 26;
/** Bytes of a value, and of a row. */
const longestValue = 32_000_000;
/** Bytes of a page, which ends behind the row that reaches them. */
const largestPage = 64_000_000;

/**
 * Opens a SQLite file read-only. A `-wal` file next to it is read as well.
 * @throws {SourceError} if it is no readable database
 */
export function openSqliteSource(file: string): SourceDatabase {
  const database = openReadOnly(file);
  try {
    const tables = new Map<string, ReadonlySet<string>>();
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
    for (const { name } of names) {
      const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(String(name));
      tables.set(String(name), new Set(columns.map((column) => String(column['name']))));
    }
    const version = String(database.prepare('SELECT sqlite_version() AS version').get()?.['version'] ?? '');
    // Of an uploaded file, views and triggers could hide behind the names of tables; only tables are read.
    const read = (text: string, values: readonly (number | string)[]): SourceRow[] => {
      try {
        const statement = database.prepare(text);
        statement.setReadBigInts(true);
        const rows: SourceRow[] = [];
        let size = 0;
        for (const row of statement.iterate(...values)) {
          rows.push(withNumbers(row));
          size += sizeOf(row);
          if (size >= largestPage) break;
        }
        return rows;
      } catch (cause) {
        throw new SourceError(`The file cannot be read: ${messageOf(cause)}`, { cause });
      }
    };
    const source: SourceDatabase = {
      engine: 'sqlite',
      version,
      tables,
      page: (table, request) =>
        later(() => {
          const { text, values } = pageStatement(backticks, source, table, request);
          return read(text, values);
        }),
      total: (table, options = {}) =>
        later(() => {
          const { text, values } = totalStatement(backticks, source, table, options);
          return totalsOf(read(text, values)[0] ?? {}, options.sum ?? []);
        }),
      greatest: (table, column) =>
        later(() => totalsOf(read(greatestStatement(backticks, source, table, column).text, [])[0] ?? {}, []).count),
      close: () => later(() => database.close()),
    };
    return source;
  } catch (failure) {
    database.close();
    if (failure instanceof SourceError) throw failure;
    throw new SourceError(
      errorCodeOf(failure) === notADatabase
        ? 'The file is not an SQLite database'
        : `The SQLite database is damaged, or was copied while it was being written: ${messageOf(failure)}`,
      { cause: failure },
    );
  }
}

function openReadOnly(file: string): DatabaseSync {
  try {
    // Its schema may be hostile: functions with side effects and extensions stay out of reach.
    const database = new DatabaseSync(file, { readOnly: true, allowExtension: false, limits: { length: longestValue } });
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON');
    return database;
  } catch (cause) {
    throw new SourceError(`The file cannot be opened: ${messageOf(cause)}`, { cause });
  }
}

/** Integers as numbers where they are exact. Rows are the caller's own: they are changed in place, as there are millions. */
function withNumbers(row: Record<string, unknown>): SourceRow {
  for (const name of Object.keys(row)) {
    const value = row[name];
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) row[name] = Number(value);
  }
  return row;
}

function sizeOf(row: Record<string, unknown>): number {
  let size = 0;
  for (const name of Object.keys(row)) {
    const value = row[name];
    if (typeof value === 'string') size += value.length;
    else if (value instanceof Uint8Array) size += value.byteLength;
  }
  return size;
}

/** Lets other work run between pages: reading is synchronous. */
function later<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(work());
      } catch (failure) {
        reject(failure instanceof Error ? failure : new Error(String(failure)));
      }
    });
  });
}

function errorCodeOf(failure: unknown): unknown {
  return failure instanceof Error && 'errcode' in failure ? failure.errcode : undefined;
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
