// Solves the proof of work that a login needs after too many wrong passwords. The hash is a library's: browsers offer theirs on secure pages only.
import { sha256 } from '@noble/hashes/sha2.js';
import { solveChallenge as solve } from 'altcha-lib';
import type { ProofChallenge } from '#shared/session.ts';

const giveUpMs = 180_000;

/** Returns the solution as `LoginInput` has it; undefined when it took too long. */
export async function solveChallenge(challenge: ProofChallenge): Promise<string | undefined> {
  const solution = await solve({ challenge, deriveKey, timeout: giveUpMs });
  return solution === null ? undefined : btoa(JSON.stringify({ challenge, solution }));
}

async function deriveKey({ cost, keyLength }: { cost: number; keyLength: number }, salt: Uint8Array, password: Uint8Array) {
  const first = new Uint8Array(salt.length + password.length);
  first.set(salt);
  first.set(password, salt.length);
  let derivedKey: Uint8Array = first;
  for (let round = 0; round < cost; round += 1) derivedKey = sha256(derivedKey);
  return { parameters: {}, derivedKey: derivedKey.subarray(0, keyLength) };
}
