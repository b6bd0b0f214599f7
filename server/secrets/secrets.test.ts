import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecrets, sealPurposes } from './secrets.ts';

const masterKey = 'a master key of more than thirty-two characters';
const secrets = createSecrets(masterKey);

/** As everything was encrypted before there were purposes. */
function encryptedBefore(text: string, firstByte?: number): string {
  const key = Buffer.from(hkdfSync('sha256', masterKey, 'tidegate', 'cipher', 32));
  const nonce = randomBytes(12);
  if (firstByte !== undefined) nonce[0] = firstByte;
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

describe('secrets', () => {
  it('what is encrypted for one purpose is decrypted for that, and for no other', () => {
    const table = sealPurposes.map((purpose) => {
      const cipher = secrets.encrypt(`for ${purpose}`, purpose);
      return sealPurposes.filter((other) => {
        try {
          return secrets.decrypt(cipher, other) === `for ${purpose}`;
        } catch {
          return false;
        }
      });
    });
    expect(table).toEqual(sealPurposes.map((purpose) => [purpose]));
    for (const purpose of sealPurposes)
      for (const other of sealPurposes)
        if (other !== purpose) expect(() => secrets.decrypt(secrets.encrypt('', purpose), other)).toThrow(/authenticate/);
  });

  it.each(sealPurposes)('what was encrypted before there were purposes is decrypted as %s', (purpose) => {
    for (const firstByte of [undefined, 0, 1, 2]) {
      expect(secrets.decrypt(encryptedBefore('kept for years', firstByte), purpose)).toBe('kept for years');
      expect(secrets.decrypt(encryptedBefore('', firstByte), purpose)).toBe('');
    }
  });

  it('nothing is decrypted that was changed, cut, or made with another master key', () => {
    const cipher = secrets.encrypt('the text', 'summary');
    const bytes = Buffer.from(cipher, 'base64url');
    for (const place of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ 0x10;
      expect(() => secrets.decrypt(changed.toString('base64url'), 'summary')).toThrow();
      expect(() => secrets.decrypt(bytes.subarray(0, place).toString('base64url'), 'summary')).toThrow();
    }
    // Without its first byte it is none of those from before.
    expect(() => secrets.decrypt(bytes.subarray(1).toString('base64url'), 'summary')).toThrow();
    expect(() => createSecrets(`${masterKey}!`).decrypt(cipher, 'summary')).toThrow();
  });
});
