// Seals are written as thought signatures, the only field of this format for them. A seal of a call contains the call's id.
import { type Seal, writeSeal } from '../../seal.ts';
import { writeSignature as writePlainSignature } from '../thought-signature.ts';

/** Signatures are base64: foreign seals are wrapped. */
export function writeSignature(seal: Seal): string {
  return seal.callId === undefined ? writePlainSignature(seal) : Buffer.from(writeSeal(seal, 'gemini')).toString('base64');
}
