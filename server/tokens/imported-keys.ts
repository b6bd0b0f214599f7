// Stored forms of keys that other gateways created: with the key's text, or, as LiteLLM stores it, with its SHA-256 only.
import { hash } from 'node:crypto';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { endingLength, endingOf } from './key-endings.ts';

type KeyFields = Pick<TokenRecord, 'key_hash' | 'key_cipher' | 'key_ending' | 'ending'>;

/** No keyed hash contains a colon, so no key that is sent can be taken for a stored SHA-256. */
const mark = 'sha256:';

/**
 * Fields of a key whose text is known.
 * @param key bare key, without `sk-`; may contain `-` and `_`
 */
export function importedKeyFields({ secrets }: Pick<AppContext, 'secrets'>, key: string): KeyFields {
  return { key_hash: secrets.hash(key), key_cipher: secrets.encrypt(key, 'token_key'), ending: endingOf(key) };
}

/**
 * Value of `key_hash` and `old_key_hash` for a key of which only the SHA-256 is known.
 * @param digest 64 hexadecimal digits: SHA-256 of the whole key, `sk-` included
 */
export function sha256Hash(digest: string): string {
  const hex = digest.toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new TypeError('A SHA-256 has 64 hexadecimal digits');
  return `${mark}${hex}`;
}

/**
 * Fields of such a key.
 * @param ending last characters of the key, for display
 */
export function sha256KeyFields(digest: string, ending: string): KeyFields {
  return { key_hash: sha256Hash(digest), key_cipher: '', key_ending: ending, ending: ending.slice(-endingLength) };
}

/** Value under which a bare key is stored if only its SHA-256 was known. */
export function sha256HashOfKey(key: string): string {
  return `${mark}${hash('sha256', `sk-${key}`)}`;
}

/** Condition that all such values fulfil. */
export const anySha256Hash = { startsWith: mark } as const;
