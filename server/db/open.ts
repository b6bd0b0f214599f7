// DATABASE_URL → Database.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '#server/db/database.ts';
import { openEmbedded } from '#server/db/embedded.ts';

/** DATABASE_URL names nothing that can be opened; the message is one line for the administrator. */
export class DatabaseUrlError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUrlError';
  }
}

/**
 * `file:<path>` (relative to the working directory, `?synchronous=full` to survive power cuts), `mongodb://…` or
 * `mongodb+srv://…` (database `tidegate` unless the URL names one).
 * @throws {DatabaseUrlError} @throws {DatabaseFileError} @throws {DatabaseUnavailable}
 */
export async function openDatabase(url: string): Promise<Database> {
  if (url.startsWith('file:')) {
    const { file, synchronous } = parseFileUrl(url);
    return openEmbedded(file, { synchronous });
  }
  throw new DatabaseUrlError('DATABASE_URL must begin with file:, mongodb:// or mongodb+srv://');
}

/** Where the embedded database is; undefined for a server. */
export function databaseFile(url: string): string | undefined {
  return url.startsWith('file:') ? parseFileUrl(url).file : undefined;
}

function parseFileUrl(url: string): { file: string; synchronous: 'normal' | 'full' } {
  const [location = '', query = ''] = url.split(/\?(.*)/s, 2);
  let path = location.slice('file:'.length);
  if (path.startsWith('//')) {
    try {
      path = fileURLToPath(location);
    } catch (cause) {
      throw new DatabaseUrlError('DATABASE_URL: a file is file:./data/tidegate.db or file:///absolute/path.db', { cause });
    }
  }
  if (path === '') throw new DatabaseUrlError('DATABASE_URL: "file:" needs a path, such as file:./data/tidegate.db');
  let synchronous: 'normal' | 'full' = 'normal';
  for (const [name, value] of new URLSearchParams(query)) {
    if (name !== 'synchronous' || (value !== 'normal' && value !== 'full')) {
      throw new DatabaseUrlError(`DATABASE_URL: "${name}=${value}" is unknown; a file takes synchronous=normal or synchronous=full`);
    }
    synchronous = value;
  }
  return { file: resolve(path), synchronous };
}
