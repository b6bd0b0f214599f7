// Parser of DATABASE_URL.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Invalid DATABASE_URL; the message is one line for the administrator. */
export class DatabaseUrlError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUrlError';
  }
}

export type DatabaseUrl =
  | { kind: 'embedded'; file: string; synchronous: 'normal' | 'full' }
  | { kind: 'mongodb'; url: string; name: string };

/**
 * Accepts `file:<path>` (relative to the working directory; `?synchronous=full` to survive power cuts), `mongodb://…`
 * or `mongodb+srv://…` (database `tidegate` by default).
 * @throws {DatabaseUrlError}
 */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  if (url.startsWith('file:')) return parseFileUrl(url);
  const server = /^mongodb(?:\+srv)?:\/\/[^/?]+(?:\/([^?]*))?/.exec(url);
  if (server === null) throw new DatabaseUrlError('DATABASE_URL must be file:<path>, mongodb://<host>… or mongodb+srv://<host>…');
  return { kind: 'mongodb', url, name: databaseName(server[1] ?? '') || 'tidegate' };
}

function databaseName(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new DatabaseUrlError('DATABASE_URL: the name of the database has a broken percent escape', { cause });
  }
}

function parseFileUrl(url: string): DatabaseUrl {
  const mark = url.indexOf('?');
  const location = mark === -1 ? url : url.slice(0, mark);
  let path = location.slice('file:'.length);
  if (path.startsWith('//')) {
    try {
      path = fileURLToPath(location);
    } catch (cause) {
      throw new DatabaseUrlError('DATABASE_URL: a file is file:./data/tidegate.db or file:///absolute/path.db', { cause });
    }
  }
  if (path === '' || path.endsWith('/'))
    throw new DatabaseUrlError('DATABASE_URL: "file:" needs the path of a file, such as file:./data/tidegate.db');
  let synchronous: 'normal' | 'full' = 'normal';
  for (const [name, value] of new URLSearchParams(mark === -1 ? '' : url.slice(mark))) {
    if (name !== 'synchronous' || (value !== 'normal' && value !== 'full')) {
      throw new DatabaseUrlError(`DATABASE_URL: "${name}=${value}" is unknown; a file takes synchronous=normal or synchronous=full`);
    }
    synchronous = value;
  }
  return { kind: 'embedded', file: resolve(path), synchronous };
}
