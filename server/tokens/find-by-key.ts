// Which token a key belongs to. A renewed token has two secrets for a while: the old one has an index of its own, which is read only for a
// key that is nobody's current one.
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';

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
  const renewed = await tokens.first({ old_key_hash: hashed });
  return renewed === null ? null : { token: renewed, secretUntil: renewed.old_key_until ?? 0 };
}

/** @param now milliseconds */
export function hasEnded({ secretUntil }: Pick<TokenOfKey, 'secretUntil'>, now: number): boolean {
  return secretUntil !== -1 && secretUntil * 1000 <= now;
}
