// Keys at rest: keyed hashes for look-up and encryption for what must be read back. The master key comes from
// SESSION_SECRET or, when that is not set, from a generated file beside the embedded database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

export interface Secrets {
  /** Keyed hash (HMAC-SHA-256, base64url) of a key or token, for look-up by equality. */
  hash(text: string): string;
  /** AES-256-GCM; the result is text (base64url) that only `decrypt` reads. */
  encrypt(text: string): string;
  /** @throws {Error} when the text was made with another master key or was changed. */
  decrypt(cipher: string): string;
}

export function createSecrets(masterKey: string): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, 'tidegate', purpose, 32));
  const hashKey = derive('hash');
  const cipherKey = derive('cipher');
  return {
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('base64url'),
    encrypt(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    decrypt(text) {
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
