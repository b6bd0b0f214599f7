import type { Database } from '#server/db/database.ts';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import { openEmbedded } from '#server/db/embedded.ts';
import { silentLog, type ThreadLog } from '#server/db/thread-log.ts';

export interface OpenOptions {
  log?: ThreadLog;
  /** Leaves collections and indexes as they are: another process of this program has just updated them. */
  hasSchema?: boolean;
}

/**
 * Opens the database of DATABASE_URL and updates its collections and indexes.
 * @throws {DatabaseUrlError} if the URL is wrong, or the server rejects its credentials
 * @throws {DatabaseFileError} if the embedded file is unusable
 * @throws {DatabaseUnavailable} if the server is unreachable
 */
export async function openDatabase(url: string, { log = silentLog, hasSchema = false }: OpenOptions = {}): Promise<Database> {
  const target = parseDatabaseUrl(url);
  if (target.kind === 'embedded') return openEmbedded(target.file, { synchronous: target.synchronous, log, hasSchema });
  // Loads the driver only if a server is used.
  const { openMongo } = await import('#server/db/mongo.ts');
  return openMongo(target.url, target.name, { hasSchema });
}
