// Last characters of keys, by which administrators find a key: too few to help a thief of the database guess the rest.
import { keyEnding } from '#shared/pasted-keys.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';

/** Characters of an ending that is searched; a search by fewer would match many keys. */
export const endingLength = 4;

/** @param key bare key, without `sk-` */
export function endingOf(key: string): string {
  return keyEnding(key);
}

/** Returns the ending of a stored token; empty if nothing of its key is known. */
export function endingOfToken({ secrets }: Pick<AppContext, 'secrets'>, token: TokenRecord): string {
  if (token.ending !== undefined) return token.ending;
  if (token.key_ending !== undefined) return token.key_ending.slice(-endingLength);
  try {
    return endingOf(secrets.decrypt(token.key_cipher, 'token_key'));
  } catch {
    return '';
  }
}

/** Job: adds endings to records of earlier versions. */
export async function fillKeyEndings(context: Pick<AppContext, 'db' | 'secrets'>): Promise<void> {
  const tokens = context.db.collection('tokens');
  for await (const token of tokens.each({ ending: { exists: false } })) {
    const { id, key_hash } = token;
    await tokens.patch({ id, key_hash }, { set: { ending: endingOfToken(context, token) } });
  }
}
