// Proof of work for logins that follow too many wrong passwords: each further guess costs its sender more, and the account's owner still gets in.
// Challenges are ALTCHA's, version 2 (https://altcha.org), with a counter that the server has chosen.
import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import { ProofChallenge } from '#shared/session.ts';
import { z } from 'zod';
import type { AppContext } from '#server/context.ts';
import { countHit } from '#server/http/rate-limit.ts';

/** SHA-256 rounds of one step, which takes a browser about a millisecond. */
const roundsPerStep = 500;
const fewestSteps = 400;
/** 64 times the fewest steps: some twenty seconds of a desktop browser. */
const highestLevel = 6;
const validSeconds = 300;

const Proof = z.object({ challenge: ProofChallenge, solution: z.object({ counter: z.int(), derivedKey: z.string().max(200) }) });

/**
 * Creates a challenge for one login as `subject`.
 * @param subject keyed hash of the account's name
 * @param excess counted attempts as a multiple of the free ones; the work doubles with it
 */
export async function createProofChallenge(context: AppContext, subject: string, excess: number): Promise<ProofChallenge> {
  const level = Math.min(highestLevel, Math.max(0, Math.floor(Math.log2(excess))));
  const steps = fewestSteps * 2 ** level;
  // Expiry is a member of `data`: the library judges its own by the clock of the machine.
  const data = { subject, until: Math.floor(context.now() / 1000) + validSeconds };
  const challenge = await createChallenge({
    algorithm: 'SHA-256',
    cost: roundsPerStep,
    counter: randomInt(steps, steps / 2),
    deriveKey,
    data,
    ...signing(context),
  });
  return z.parse(ProofChallenge, challenge);
}

/** Returns whether `proof` (a member of `LoginInput`) solves a challenge of `subject` that has not been used before. */
export async function acceptProof(context: AppContext, subject: string, proof: string): Promise<boolean> {
  const { success, data } = Proof.safeParse(parse(proof));
  if (!success) return false;
  const { challenge } = data;
  if (challenge.parameters.data.subject !== subject || challenge.parameters.data.until * 1000 < context.now()) return false;
  const { verified } = await verifySolution({ ...data, deriveKey, ...signing(context) });
  if (!verified) return false;
  const { count } = await countHit(context, `proof:${context.secrets.hash(challenge.signature)}`, validSeconds * 2);
  return count === 1;
}

function signing({ secrets }: AppContext): { hmacSignatureSecret: string; hmacKeySignatureSecret: string } {
  return { hmacSignatureSecret: secrets.hash('proof-of-work challenge'), hmacKeySignatureSecret: secrets.hash('proof-of-work key') };
}

function parse(proof: string): unknown {
  try {
    return JSON.parse(Buffer.from(proof, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
