import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { backticks, greatestStatement, pageStatement, type Statement, totalsOf, totalStatement } from './sql-text.ts';
import { text as textOf } from './row-values.ts';
import { type SourceDatabase, SourceError, type SourceRow } from './source-database.ts';

const connectMs = 15_000;
const statementMs = 600_000;

/**
 * Opens a MySQL or MariaDB database; the session can only read.
 * @param address `mysql://user:password@host:3306/database`
 * @throws {SourceError}
 */
export async function openMysqlSource(address: string): Promise<SourceDatabase> {
  const connection = await createConnection({
    uri: address,
    connectTimeout: connectMs,
    charset: 'utf8mb4',
    // Greater integers as texts, dates as they are written.
    supportBigNumbers: true,
    dateStrings: true,
    multipleStatements: false,
    // The server could request files of this machine.
    flags: ['-LOCAL_FILES'],
  }).catch((cause: unknown) => {
    throw new SourceError(`The database cannot be reached: ${reasonOf(cause)}`, { failure: 'unreachable', cause });
  });
  // Without it, a lost connection would end the process.
  connection.on('error', () => undefined);
  const read = async ({ text, values }: Statement): Promise<SourceRow[]> => {
    try {
      const [rows] = await connection.query<RowDataPacket[]>({ sql: text, values, timeout: statementMs });
      return rows.filter(isRow);
    } catch (cause) {
      throw new SourceError(`The database cannot be read: ${reasonOf(cause)}`, { cause });
    }
  };
  try {
    await connection.query('SET SESSION TRANSACTION READ ONLY');
    const [about] = await read({ text: 'SELECT VERSION() AS version', values: [] });
    const columns = await read({
      text: 'SELECT TABLE_NAME AS t, COLUMN_NAME AS c FROM information_schema.columns WHERE table_schema = DATABASE()',
      values: [],
    });
    const byTable = Map.groupBy(columns, (row) => String(row['t']));
    const source: SourceDatabase = {
      engine: 'mysql',
      version: textOf(about ?? {}, 'version').slice(0, 60),
      tables: new Map([...byTable].map(([table, rows]) => [table, new Set(rows.map((row) => String(row['c'])))])),
      page: (table, request) => read(pageStatement(backticks, source, table, request)),
      total: async (table, options = {}) =>
        totalsOf((await read(totalStatement(backticks, source, table, options)))[0] ?? {}, options.sum ?? []),
      greatest: async (table, column) => totalsOf((await read(greatestStatement(backticks, source, table, column)))[0] ?? {}, []).count,
      close: () => connection.end(),
    };
    return source;
  } catch (failure) {
    connection.destroy();
    throw failure instanceof SourceError
      ? failure
      : new SourceError(`The database cannot be read: ${reasonOf(failure)}`, { cause: failure });
  }
}

function isRow(value: unknown): value is SourceRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The driver's texts name user and host; an address with a password is in none. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
