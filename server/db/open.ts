import type { Database } from '#server/db/database.ts';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import { openEmbedded } from '#server/db/embedded.ts';
import { silentLog, type ThreadLog } from '#server/db/thread-log.ts';

/**
 * Opens what DATABASE_URL names and brings its collections and indexes up to date.
 * @throws {DatabaseUrlError} the URL is wrong, or the server refuses its credentials
 * @throws {DatabaseFileError} the embedded file cannot be used
 * @throws {DatabaseUnavailable} the server cannot be reached
 */
export async function openDatabase(url: string, log: ThreadLog = silentLog): Promise<Database> {
  const target = parseDatabaseUrl(url);
  if (target.kind === 'embedded') return openEmbedded(target.file, { synchronous: target.synchronous, log });
  // Only whoever uses a server pays for loading its driver.
  const { openMongo } = await import('#server/db/mongo.ts');
  return openMongo(target.url, target.name);
}
