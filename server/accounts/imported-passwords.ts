// Password hashes of other gateways. `password_hash` stores them until the first sign-in, which replaces them by ours.
import { hash, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** bcrypt, in its own form. The cost is bounded: each step doubles the time. */
const bcryptForm = /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;
/** A comparison of that cost takes two seconds; a busy machine takes longer. */
const bcryptMs = 20_000;

/** LiteLLM's costs. */
const scryptCost = { N: 2 ** 14, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const pbkdf2Rounds = 600_000;
const saltBytes = 16;
const keyBytes = 32;

const deriveScrypt = promisify<string, Buffer, number, typeof scryptCost, Buffer>(scrypt);
const derivePbkdf2 = promisify(pbkdf2);

/**
 * Returns the stored form of another gateway's hash: bcrypt (`$2a$`, `$2b$`, `$2y$`), or of LiteLLM `scrypt:`, `pbkdf2:`
 * or a hexadecimal SHA-256. Returns null for any other text: a password in clear, which has to be hashed, or a hash
 * that cannot be used.
 */
export function importedPasswordHash(text: string): string | null {
  if (bcryptForm.test(text)) return text;
  if (/^[0-9a-f]{64}$/i.test(text)) return `sha256$$${Buffer.from(text, 'hex').toString('base64url')}`;
  const [kind, encoded = ''] = text.split(':');
  const bytes = Buffer.from(encoded, 'base64');
  if ((kind !== 'scrypt' && kind !== 'pbkdf2') || bytes.length !== saltBytes + keyBytes) return null;
  const [salt, key] = [bytes.subarray(0, saltBytes), bytes.subarray(saltBytes)].map((part) => part.toString('base64url'));
  return `litellm-${kind}$${salt}$${key}`;
}

/** How such a hash is derived from a password. */
const derivations: Readonly<Record<string, (form: string, salt: Buffer) => Buffer | Promise<Buffer>>> = {
  sha256: (form) => hash('sha256', form, 'buffer'),
  'litellm-scrypt': (form, salt) => deriveScrypt(form, salt, keyBytes, scryptCost),
  'litellm-pbkdf2': (form, salt) => derivePbkdf2(form, salt, pbkdf2Rounds, keyBytes, 'sha256'),
};

export function isImportedHash(stored: string): boolean {
  return bcryptForm.test(stored) || Object.hasOwn(derivations, kindOf(stored));
}

/**
 * Reports whether the password matches the imported hash, as it was typed or in NFC: the other gateways normalize
 * nothing, and browsers type letters with accents in more than one form.
 */
export async function verifyImported(password: string, stored: string): Promise<boolean> {
  const forms = [...new Set([password, password.normalize('NFC')])];
  if (bcryptForm.test(stored)) return compareBcrypt({ forms, stored });
  const [kind = '', salt = '', key = ''] = stored.split('$');
  const derive = derivations[kind];
  const expected = Buffer.from(key, 'base64url');
  for (const form of derive === undefined ? [] : forms) {
    const actual = await derive?.(form, Buffer.from(salt, 'base64url'));
    if (actual?.length === expected.length && timingSafeEqual(actual, expected)) return true;
  }
  return false;
}

function kindOf(stored: string): string {
  return stored.split('$', 1)[0] ?? '';
}

export interface BcryptRequest {
  forms: readonly string[];
  stored: string;
}

/** Compares in a worker thread, so that the event loop stays free. The queue of password work bounds their number. */
function compareBcrypt(request: BcryptRequest): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./bcrypt-worker.ts', import.meta.url), { workerData: request, execArgv: [] });
    const timer = setTimeout(() => void worker.terminate(), bcryptMs);
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timer);
      // Settled already unless the time was up.
      reject(new Error('A password could not be compared in time'));
    });
  });
}
