// Finds the token of a key. A renewed token has several secrets for a while: old ones have indexes of their own, which are read only for a key that
// is no token's current one. Keys of which only the SHA-256 is known come last, and only if there are any.
import type { AppContext } from '#server/context.ts';
import type { Database } from '#server/db/database.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { anySha256Hash, sha256HashOfKey } from './imported-keys.ts';
import { byOldKey, oldKeysOf } from './old-keys.ts';

export interface TokenOfKey {
  token: TokenRecord;
  /** Unix seconds until when this key is accepted; -1: it is the token's current one. */
  secretUntil: number;
}

/**
 * Returns the token of a bare key, deleted ones and old secrets that have ended included.
 * @param anySha256 reports whether there are keys of which only the SHA-256 is known
 */
export async function findByKey(
  { db, secrets }: Pick<AppContext, 'db' | 'secrets'>,
  key: string,
  anySha256 = () => hasSha256Keys(db),
): Promise<TokenOfKey | null> {
  const found = await findByHash(db, secrets.hash(key));
  return found !== null || !(await anySha256()) ? found : findByHash(db, sha256HashOfKey(key));
}

/** Reports whether there are keys, current or old ones, of which only the SHA-256 is known. */
export async function hasSha256Keys(db: Database): Promise<boolean> {
  const tokens = db.collection('tokens');
  const filters = [{ key_hash: anySha256Hash }, ...byOldKey(anySha256Hash)];
  return (await Promise.all(filters.map((filter) => tokens.first(filter)))).some(isFound);
}

async function findByHash(db: Database, hashed: string): Promise<TokenOfKey | null> {
  const tokens = db.collection('tokens');
  const current = await tokens.first({ key_hash: hashed });
  if (current !== null) return { token: current, secretUntil: -1 };
  const [latest, ...earlier] = byOldKey(hashed);
  const renewed = (await tokens.first(latest)) ?? (await Promise.all(earlier.map((filter) => tokens.first(filter)))).find(isFound);
  if (renewed === undefined || renewed === null) return null;
  return { token: renewed, secretUntil: oldKeysOf(renewed).find(({ hash }) => hash === hashed)?.until ?? 0 };
}

function isFound(token: TokenRecord | null): boolean {
  return token !== null;
}

/** @param now milliseconds */
export function hasEnded({ secretUntil }: Pick<TokenOfKey, 'secretUntil'>, now: number): boolean {
  return secretUntil !== -1 && secretUntil * 1000 <= now;
}
