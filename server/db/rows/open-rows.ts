// Opens the rows of the database that a DATABASE_URL names.
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import { openEmbeddedSource, openEmbeddedTarget } from '#server/db/rows/embedded-rows.ts';
import { embeddedReplacement } from '#server/db/rows/embedded-replacement.ts';
import type { Replacement } from '#server/db/rows/replacement.ts';
import type { CopyState, RowSource, RowTarget } from '#server/db/rows/rows.ts';

/**
 * @throws {DatabaseUrlError}
 * @throws {DatabaseFileError}
 * @throws {DatabaseUnavailable}
 */
export async function openSource(url: string, options = { wantsSnapshot: true }): Promise<RowSource> {
  const target = parseDatabaseUrl(url);
  if (target.kind === 'embedded') return openEmbeddedSource(target.file);
  // Loads the driver only if a server is used.
  const { openMongoSource } = await import('#server/db/rows/mongo-rows.ts');
  return openMongoSource(target.url, target.name, options);
}

/** Same errors as `openSource`. */
export async function openTarget(url: string): Promise<RowTarget> {
  const target = parseDatabaseUrl(url);
  if (target.kind === 'embedded') return openEmbeddedTarget(target.file);
  const { openMongoTarget } = await import('#server/db/rows/mongo-rows.ts');
  return openMongoTarget(target.url, target.name);
}

/**
 * @param url as DATABASE_URL
 * @param writer this process
 */
export async function openReplacement(url: string, writer: CopyState['writer']): Promise<Replacement> {
  const target = parseDatabaseUrl(url);
  if (target.kind === 'embedded') return embeddedReplacement(target.file);
  const { openMongoReplacement } = await import('#server/db/rows/mongo-replacement.ts');
  return openMongoReplacement(target.url, target.name, writer);
}
