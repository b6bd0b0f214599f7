import pg from 'pg';
import { doubleQuotes, greatestStatement, pageStatement, type Statement, totalsOf, totalStatement } from './sql-text.ts';
import { text as textOf } from './row-values.ts';
import { type SourceDatabase, SourceError, type SourceRow } from './source-database.ts';

const connectMs = 15_000;
const statementMs = 600_000;
/** date, timestamp, timestamptz: the driver would read times without a zone as local ones. */
const dateTypes = [1082, 1114, 1184] as const;

/**
 * Opens a PostgreSQL database; the session can only read.
 * @param address `postgres://user:password@host:5432/database`
 * @throws {SourceError}
 */
export async function openPostgresSource(address: string): Promise<SourceDatabase> {
  const types = new pg.TypeOverrides();
  for (const type of dateTypes) types.setTypeParser(type, (written: string) => written);
  const client = withoutEnvironment(
    () =>
      new pg.Client({
        connectionString: address,
        connectionTimeoutMillis: connectMs,
        statement_timeout: statementMs,
        query_timeout: statementMs,
        types,
      }),
  );
  // An absent password is looked up in the password file of this machine.
  client.password ??= '';
  // Without it, a lost connection would end the process.
  client.on('error', () => undefined);
  const read = async ({ text, values }: Statement): Promise<SourceRow[]> => {
    try {
      const { rows } = await client.query<SourceRow>(text, values);
      return rows;
    } catch (cause) {
      throw new SourceError(`The database cannot be read: ${reasonOf(cause)}`, { cause });
    }
  };
  try {
    await client.connect();
  } catch (cause) {
    throw new SourceError(`The database cannot be reached: ${reasonOf(cause)}`, { failure: 'unreachable', cause });
  }
  try {
    await client.query("SET default_transaction_read_only = on; SET TIME ZONE 'UTC'");
    const [about] = await read({ text: "SELECT current_setting('server_version') AS version", values: [] });
    const columns = await read({
      text: 'SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = current_schema()',
      values: [],
    });
    const byTable = Map.groupBy(columns, (row) => String(row['t']));
    const source: SourceDatabase = {
      engine: 'postgresql',
      version: textOf(about ?? {}, 'version').slice(0, 60),
      tables: new Map([...byTable].map(([table, rows]) => [table, new Set(rows.map((row) => String(row['c'])))])),
      page: (table, request) => read(pageStatement(doubleQuotes, source, table, request)),
      total: async (table, options = {}) =>
        totalsOf((await read(totalStatement(doubleQuotes, source, table, options)))[0] ?? {}, options.sum ?? []),
      greatest: async (table, column) => totalsOf((await read(greatestStatement(doubleQuotes, source, table, column)))[0] ?? {}, []).count,
      close: () => client.end(),
    };
    return source;
  } catch (failure) {
    await client.end().catch(() => undefined);
    throw failure instanceof SourceError
      ? failure
      : new SourceError(`The database cannot be read: ${reasonOf(failure)}`, { cause: failure });
  }
}

/** The driver completes an address by `PG*` variables, which hold passwords and options of this machine's own databases. */
function withoutEnvironment<Result>(make: () => Result): Result {
  // The driver's, not the server's: `server/env.ts` reads none of them.
  // oxlint-disable-next-line node/no-process-env
  const variables = process.env;
  const own = Object.entries(variables).filter(([name]) => name.startsWith('PG'));
  for (const [name] of own) delete variables[name];
  try {
    return make();
  } finally {
    Object.assign(variables, Object.fromEntries(own));
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
