// Reads parameters of deployments: texts may name environment variables, and those of the database are encrypted.
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { createDecipheriv, createHash } from 'node:crypto';

export interface ParamReader {
  /** Text of a parameter; empty if there is none, or it cannot be had. */
  text(value: unknown): string;
  /** What could not be had since the last call. */
  takeMissing(): { variables: string[]; isSealed: boolean };
}

export interface ReaderParts {
  environment: Readonly<Record<string, string | undefined>>;
  /** LITELLM_SALT_KEY or the master key; undefined if it was not given. */
  saltKey?: string | undefined;
  /** Texts are encrypted. */
  isSealed: boolean;
}

const byEnvironment = /^os\.environ\/(\w+)$/;

export function createParamReader({ environment, saltKey, isSealed }: ReaderParts): ParamReader {
  let variables: string[] = [];
  let hasSealed = false;
  return {
    text(value) {
      if (typeof value === 'number' || typeof value === 'boolean') return String(value);
      if (typeof value !== 'string' || value === '') return '';
      const opened = isSealed ? unseal(value, saltKey) : value;
      if (opened === null) {
        hasSealed = true;
        return '';
      }
      const name = byEnvironment.exec(opened)?.[1];
      if (name === undefined) return opened;
      const found = environment[name];
      if (found !== undefined && found !== '') return found;
      if (!variables.includes(name)) variables.push(name);
      return opened;
    },
    takeMissing() {
      const missing = { variables, isSealed: hasSealed };
      variables = [];
      hasSealed = false;
      return missing;
    },
  };
}

const secretboxNonce = 24;
const gcm = { mark: 'v2:gcm:', nonce: 12, tag: 16 } as const;

/**
 * Opens a text of LiteLLM's database: NaCl's secretbox, or AES-256-GCM, under the SHA-256 of the salt key.
 * https://github.com/BerriAI/litellm/blob/main/litellm/proxy/common_utils/encrypt_decrypt_utils.py
 * @returns null if it cannot be opened
 */
export function unseal(sealed: string, saltKey: string | undefined): string | null {
  if (saltKey === undefined || saltKey === '') return null;
  const key = createHash('sha256').update(saltKey).digest();
  try {
    if (sealed.startsWith(gcm.mark)) {
      const bytes = Buffer.from(sealed.slice(gcm.mark.length), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, gcm.nonce), { authTagLength: gcm.tag });
      decipher.setAuthTag(bytes.subarray(-gcm.tag));
      return Buffer.concat([decipher.update(bytes.subarray(gcm.nonce, -gcm.tag)), decipher.final()]).toString('utf8');
    }
    const bytes = Buffer.from(sealed, 'base64url');
    return Buffer.from(xsalsa20poly1305(key, bytes.subarray(0, secretboxNonce)).decrypt(bytes.subarray(secretboxNonce))).toString('utf8');
  } catch {
    return null;
  }
}
