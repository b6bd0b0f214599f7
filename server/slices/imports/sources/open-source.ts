// Opens a source by its file or address.
import { stat } from 'node:fs/promises';
import { openSqliteSource } from './sqlite-source.ts';
import { type SourceDatabase, SourceError } from './source-database.ts';

/**
 * @param from path of a SQLite file
 * @throws {SourceError}
 */
export async function openSource(from: string): Promise<SourceDatabase> {
  const file = from.replace(/^(?:file|sqlite):(?:\/\/)?/, '');
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) throw new SourceError(`There is no file ${file}`);
  return openSqliteSource(file);
}
