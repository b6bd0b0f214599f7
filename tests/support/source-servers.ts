// Databases of other gateways on MariaDB and PostgreSQL servers, which `.ci/start-sources` starts. Without their URLs such tests are skipped; in
// CI they fail.
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface SourceServer {
  engine: 'mysql' | 'postgresql';
  /** Undefined if there is no such server here. */
  url: string | undefined;
}

export const mysqlServer: SourceServer = { engine: 'mysql', url: process.env['TEST_MYSQL_URL'] || undefined };
export const postgresServer: SourceServer = { engine: 'postgresql', url: process.env['TEST_POSTGRES_URL'] || undefined };

/** Where a server must be, its absence is a failure. */
export function isSkipped({ url }: SourceServer): boolean {
  return url === undefined && process.env['CI'] === undefined;
}

export interface LoadedDump {
  url: string;
  query(text: string): void;
  [Symbol.dispose](): void;
}

/** Loads a dump of `tests/support/imports/` into a new database. */
export function loadDump(server: SourceServer, dump: string): LoadedDump {
  const { engine, url } = server;
  if (url === undefined)
    throw new Error(`There is no ${engine} server: ${engine === 'mysql' ? 'TEST_MYSQL_URL' : 'TEST_POSTGRES_URL'} is not set`);
  const name = `source_${randomUUID().replaceAll('-', '')}`;
  const query = (text: string, database?: string) => run(engine, new URL(database ?? '', url), text);
  query(`CREATE DATABASE ${name}${engine === 'mysql' ? ' CHARACTER SET utf8mb4' : ''}`);
  query(gunzipSync(readFileSync(new URL(`./imports/${dump}.sql.gz`, import.meta.url))).toString('utf8'), name);
  return {
    url: new URL(name, url).href,
    query: (text) => query(text, name),
    [Symbol.dispose]: () => query(`DROP DATABASE ${name}`),
  };
}

function run(engine: SourceServer['engine'], address: URL, input: string): void {
  const { hostname, port, username, password, pathname } = address;
  const database = pathname.slice(1);
  const stdio: ExecFileSyncOptions = { input, stdio: ['pipe', 'ignore', 'pipe'], maxBuffer: 10_000_000 };
  if (engine === 'postgresql') {
    const about = ['-h', hostname, '-p', port, '-U', username, '-q', '-v', 'ON_ERROR_STOP=1', database === '' ? 'postgres' : database];
    execFileSync('psql', about, { ...stdio, env: { ...process.env, PGPASSWORD: password } });
    return;
  }
  const about = ['--no-defaults', '-h', hostname, '-P', port, '-u', username, ...(database === '' ? [] : [database])];
  execFileSync('mariadb', about, { ...stdio, env: { ...process.env, MYSQL_PWD: password } });
}
