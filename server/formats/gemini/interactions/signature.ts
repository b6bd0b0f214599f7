// What only one vendor's models can read stands in the signatures of thoughts, which is the one place that this format has for it. What
// belongs to a call names the call.
import { writeSeal } from '../../seal.ts';
import type { Seal } from '../../seal.ts';
import { writeSignature as writePlainSignature } from '../thought-signature.ts';

/** Signatures are bytes: what is not Google's own is wrapped. */
export function writeSignature(seal: Seal): string {
  return seal.callId === undefined ? writePlainSignature(seal) : Buffer.from(writeSeal(seal, 'gemini')).toString('base64');
}
