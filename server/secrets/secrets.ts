// Keys at rest: keyed hashes for look-up and encryption for what must be read back. The master key comes from SESSION_SECRET or, when that is not
// set, from a generated file next to the embedded database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type SealedKey, sealKey } from '#server/secrets/sealed-key.ts';
import { keyMark } from '#server/secrets/key-mark.ts';
import { freeBytes } from '#server/framing/free-bytes.ts';

/** Reasons to encrypt something. A text that was encrypted for one cannot be decrypted for another. */
export const sealPurposes = [
  'channel_key',
  'setting',
  'token_key',
  'redemption_code',
  'webhook_secret',
  'kept_json',
  'summary',
  'realtime_secret',
  'turn_state',
  'container',
  'upload_part',
  'store_batch',
  'repeated_response',
  'import_source',
  'bill_key',
] as const;

export type SealPurpose = (typeof sealPurposes)[number];

export interface Secrets {
  /** Keyed hash (HMAC-SHA-256, base64url) of a key or token, for look-up by equality. */
  hash(text: string): string;
  /** AES-256-GCM; the result is text (base64url) that only `decrypt` reads, for the same purpose. */
  encrypt(text: string, purpose: SealPurpose): string;
  /** Identifies the master key without revealing it. */
  readonly keyMark: string;
  /** Returns the master key, which only the passphrase opens. */
  sealKey(passphrase: string): Promise<SealedKey>;
  /** @throws {Error} when the text was made with another master key or for another purpose, or was changed. */
  decrypt(cipher: string, purpose: SealPurpose): string;
}

const algorithm = 'aes-256-gcm';
/** First byte of a text that has a purpose. Older ones begin with their nonce, which may be the same byte. */
const withPurpose = 1;
const nonceBytes = 12;
const tagBytes = 16;
/** Of these the memory is given back at once. */
const longBytes = 64 * 1024;

export function createSecrets(masterKey: string): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, 'tidegate', purpose, 32));
  const hashKey = derive('hash');
  const cipherKey = derive('cipher');

  /** @param purpose absent: of a text that was encrypted before there were purposes */
  function open(bytes: Buffer, purpose?: SealPurpose): string {
    const body = nonceBytes + tagBytes;
    const decipher = createDecipheriv(algorithm, cipherKey, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    if (purpose !== undefined) decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(nonceBytes, body));
    return Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()]).toString('utf8');
  }

  return {
    keyMark: keyMark(masterKey),
    sealKey: (passphrase) => sealKey(masterKey, passphrase),
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('base64url'),
    encrypt(text, purpose) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, cipherKey, nonce);
      cipher.setAAD(Buffer.from(purpose));
      const body = cipher.update(text, 'utf8');
      const rest = cipher.final();
      const sealed = Buffer.concat([Buffer.of(withPurpose), nonce, cipher.getAuthTag(), body, rest]);
      const reported = sealed.toString('base64url');
      if (body.length > longBytes) for (const bytes of [body, sealed]) freeBytes(bytes);
      return reported;
    },
    decrypt(text, purpose) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes[0] !== withPurpose) return open(bytes);
      try {
        return open(bytes.subarray(1), purpose);
      } catch (failure) {
        try {
          return open(bytes);
        } catch {
          throw failure;
        }
      }
    },
  };
}
