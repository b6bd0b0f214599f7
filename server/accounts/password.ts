// Password hashes: scrypt with a random salt; the cost is stored with the hash, so it can be raised.
import { availableParallelism } from 'node:os';
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '#shared/errors.ts';
import { isImportedHash, verifyImported } from '#server/accounts/imported-passwords.ts';
import { createFairQueue, QueueFull, type Source } from '#server/queues/fair-queue.ts';
import { networkOf, subscriberOf } from '#server/http/client-address.ts';

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

/**
 * The threads of Node's pool also compress, resolve names and read files: most of them, and a processor, stay free for
 * that. A queue slot takes some 60 ms.
 */
export const passwordWork = createFairQueue({
  atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)),
  places: 60,
  placesPerNetwork: 20,
  placesPerSource: 12,
});
/** Seconds after which a rejected caller may retry: all waiting callers have had a turn by then. */
const retryAfter = 5;

/**
 * Source of a proven owner of an account: by a session, a mailed link, or an address that has signed in before. Owners
 * have every second turn and half of the slots, which strangers cannot take from them.
 * @param ip if undefined, the account counts towards no network
 */
export function ownerSource(userId: number, ip?: string): Source {
  return { group: 'owners', name: `user:${userId}`, ...(ip === undefined ? {} : { network: networkOf(ip) }) };
}

export function strangerSource(ip: string): Source {
  return { group: 'strangers', network: networkOf(ip), name: `address:${subscriberOf(ip)}` };
}

/**
 * Returns `scrypt$logN$r$p$salt$hash`.
 * @param source source for the fair queue
 * @throws {AppError} `rate_limited` if too many wait
 */
export async function hashPassword(password: string, source: Source | string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(source, password, salt, currentCost);
  const { logN, r, p } = currentCost;
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Reports whether the password matches the hash, ours or an imported one. Takes the same time without a hash (unknown user, account without a
 * password), so that timing does not reveal which names exist. `source` and errors: as for `hashPassword`.
 */
export async function verifyPassword(password: string, stored: string | null, source: Source | string): Promise<boolean> {
  if (stored !== null && isImportedHash(stored)) return queued(source, () => verifyImported(password, stored));
  const [kind, logN, r, p, salt, hash] = (stored ?? '').split('$');
  if (kind !== 'scrypt' || hash === undefined || salt === undefined) {
    await deriveKey(source, password, Buffer.alloc(16), currentCost);
    return false;
  }
  const expected = Buffer.from(hash, 'base64url');
  const actual = await deriveKey(source, password, Buffer.from(salt, 'base64url'), { logN: Number(logN), r: Number(r), p: Number(p) });
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function deriveKey(source: Source | string, password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** logN;
  return queued(source, () => derive(password.normalize('NFC'), salt, keyLength, { N, r, p, maxmem: 256 * N * r }));
}

async function queued<Result>(source: Source | string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await passwordWork.run(source, work);
  } catch (failure) {
    if (failure instanceof QueueFull) throw new AppError('rate_limited', {}, { cause: failure, retryAfter });
    throw failure;
  }
}
