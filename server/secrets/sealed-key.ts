// Seals the master key with a passphrase: scrypt derives the key of AES-256-GCM.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';

/** Salt, nonce, tag and text are base64url. */
export const SealedKey = z.object({
  kdf: z.literal('scrypt'),
  // Bounds: a foreign file must not take all memory. 128 × n × r bytes.
  n: z
    .int()
    .min(2)
    .max(2 ** 18),
  r: z.int().min(1).max(8),
  p: z.int().min(1).max(4),
  salt: z.string().max(100),
  nonce: z.string().length(16),
  tag: z.string().length(22),
  text: z.string().max(10_000),
});
export type SealedKey = z.output<typeof SealedKey>;

const cost = { n: 2 ** 16, r: 8, p: 1 };
const label = Buffer.from('tidegate backup key');

/** The passphrase does not open the sealed key. */
export class WrongPassphrase extends Error {}

export async function sealKey(masterKey: string, passphrase: string): Promise<SealedKey> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt, cost), nonce);
  cipher.setAAD(label);
  const text = Buffer.concat([cipher.update(masterKey, 'utf8'), cipher.final()]);
  const encoded = (bytes: Buffer) => bytes.toString('base64url');
  return { kdf: 'scrypt', ...cost, salt: encoded(salt), nonce: encoded(nonce), tag: encoded(cipher.getAuthTag()), text: encoded(text) };
}

/** @throws {WrongPassphrase} */
export async function openSealedKey({ salt, nonce, tag, text, ...parameters }: SealedKey, passphrase: string): Promise<string> {
  const decoded = (part: string) => Buffer.from(part, 'base64url');
  try {
    const key = await derive(passphrase, decoded(salt), parameters);
    const decipher = createDecipheriv('aes-256-gcm', key, decoded(nonce), { authTagLength: 16 });
    decipher.setAAD(label);
    decipher.setAuthTag(decoded(tag));
    return Buffer.concat([decipher.update(decoded(text)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new WrongPassphrase('The passphrase does not open the master key in the backup', { cause });
  }
}

function derive(passphrase: string, salt: Buffer, { n, r, p }: { n: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32, { N: n, r, p, maxmem: 256 * n * r }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
