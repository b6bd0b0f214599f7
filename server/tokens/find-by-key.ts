// Finds the token of a key. A renewed token has several secrets for a while: old ones have indexes of their own, which are read only for a key that
// is no token's current one.
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { byOldKey, oldKeysOf } from './old-keys.ts';

export interface TokenOfKey {
  token: TokenRecord;
  /** Unix seconds until when this key is accepted; -1: it is the token's current one. */
  secretUntil: number;
}

/** The token of a bare key, deleted ones and old secrets that have ended included. */
export async function findByKey({ db, secrets }: Pick<AppContext, 'db' | 'secrets'>, key: string): Promise<TokenOfKey | null> {
  const hashed = secrets.hash(key);
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
