// Passwords at rest: scrypt with a salt of its own for each; the cost is stored beside the hash, so it can be raised.
import { availableParallelism } from 'node:os';
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '#shared/errors.ts';
import { createFairQueue, QueueFull } from '#server/queues/fair-queue.ts';
import type { Source } from '#server/queues/fair-queue.ts';
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
 * The threads of Node's pool also compress, look up names and read files: most of them, and a processor, stay free for that.
 * A place is worth some 60 ms of waiting.
 */
export const passwordWork = createFairQueue({
  atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)),
  places: 60,
  placesPerNetwork: 20,
  placesPerSource: 12,
});
/** Seconds after which a refused caller may try again: by then everybody who waits has had a turn. */
const retryAfter = 5;

/**
 * Whoever has shown to be the owner of an account: by a session, by a mailed link, or at an address that has signed in to it before.
 * They have every second turn and half of the places, which no crowd of strangers can take from them.
 * @param ip absent: the account is counted with no network
 */
export function ownerSource(userId: number, ip?: string): Source {
  return { group: 'owners', name: `user:${userId}`, ...(ip === undefined ? {} : { network: networkOf(ip) }) };
}

export function strangerSource(ip: string): Source {
  return { group: 'strangers', network: networkOf(ip), name: `address:${subscriberOf(ip)}` };
}

/**
 * `scrypt$logN$r$p$salt$hash`. @param source whose turn it takes
 * @throws {AppError} `rate_limited` when too many wait
 */
export async function hashPassword(password: string, source: Source | string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(source, password, salt, currentCost);
  const { logN, r, p } = currentCost;
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Whether the password belongs to the hash. Takes as long when there is no hash (unknown user, account without a
 * password), so that nobody learns from the time which names exist. `source` and refusal: as for `hashPassword`.
 */
export async function verifyPassword(password: string, stored: string | null, source: Source | string): Promise<boolean> {
  const [kind, logN, r, p, salt, hash] = (stored ?? '').split('$');
  if (kind !== 'scrypt' || hash === undefined || salt === undefined) {
    await deriveKey(source, password, Buffer.alloc(16), currentCost);
    return false;
  }
  const expected = Buffer.from(hash, 'base64url');
  const actual = await deriveKey(source, password, Buffer.from(salt, 'base64url'), { logN: Number(logN), r: Number(r), p: Number(p) });
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

async function deriveKey(source: Source | string, password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** logN;
  try {
    return await passwordWork.run(source, () => derive(password.normalize('NFC'), salt, keyLength, { N, r, p, maxmem: 256 * N * r }));
  } catch (failure) {
    if (failure instanceof QueueFull) throw new AppError('rate_limited', {}, { cause: failure, retryAfter });
    throw failure;
  }
}
