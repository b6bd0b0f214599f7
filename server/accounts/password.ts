// Passwords at rest: scrypt with a salt of its own for each; the cost is stored beside the hash, so it can be raised.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

interface Cost {
  /** Binary logarithm of N. */
  logN: number;
  r: number;
  p: number;
}

/** 32 MiB and some 60 ms each; see the OWASP password storage cheat sheet. */
const currentCost: Cost = { logN: 15, r: 8, p: 1 };
const keyLength = 32;
const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** `scrypt$logN$r$p$salt$hash` */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt, currentCost);
  const { logN, r, p } = currentCost;
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Whether the password belongs to the hash. Takes as long when there is no hash (unknown user, account without a
 * password), so that nobody learns from the time which names exist.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [kind, logN, r, p, salt, hash] = (stored ?? '').split('$');
  if (kind !== 'scrypt' || hash === undefined || salt === undefined) {
    await deriveKey(password, Buffer.alloc(16), currentCost);
    return false;
  }
  const expected = Buffer.from(hash, 'base64url');
  const actual = await deriveKey(password, Buffer.from(salt, 'base64url'), { logN: Number(logN), r: Number(r), p: Number(p) });
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function deriveKey(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** logN;
  return derive(password.normalize('NFC'), salt, keyLength, { N, r, p, maxmem: 256 * N * r });
}
