// Opens a source by its file or address. Drivers are loaded only where they are used.
import { stat } from 'node:fs/promises';
import { readSourceAddress } from './source-address.ts';
import { type SourceDatabase, SourceError } from './source-database.ts';

/**
 * @param from path of a SQLite file, `mysql://…`, `postgres://…`, or the text of SQL_DSN
 * @throws {SourceError}
 */
export async function openSource(from: string): Promise<SourceDatabase> {
  const address = readSourceAddress(from);
  if (address.engine === 'sqlite') {
    const scheme = /^([a-z][a-z0-9+]*):\/\//i.exec(address.file)?.[1];
    if (scheme !== undefined) throw new SourceError(`An address begins with mysql:// or postgres://, not with ${scheme}://`);
    const found = await stat(address.file).catch(() => null);
    if (found === null) throw new SourceError(`There is no file ${address.file}`);
    if (!found.isFile()) throw new SourceError(`${address.file} is not a file`);
    return (await import('./sqlite-source.ts')).openSqliteSource(address.file);
  }
  return address.engine === 'mysql'
    ? (await import('./mysql-source.ts')).openMysqlSource(address.url)
    : (await import('./postgres-source.ts')).openPostgresSource(address.url);
}
