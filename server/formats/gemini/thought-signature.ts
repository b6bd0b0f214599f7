// Signatures are base64 in this format and decoded by its SDKs: foreign seals are wrapped.
import { readSeal, type Seal, writeSeal } from '../seal.ts';

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

export function writeSignature(seal: Seal): string {
  const text = writeSeal({ origin: seal.origin, data: seal.data }, 'gemini');
  return text === seal.data && base64.test(text) ? text : Buffer.from(text).toString('base64');
}

export function readSignature(text: string): Seal {
  const inner = Buffer.from(text, 'base64').toString('utf8');
  return inner.startsWith('tidegate-seal:') ? readSeal(inner, 'gemini') : { origin: 'gemini', data: text };
}

/** Signature for calls of another vendor's model. https://ai.google.dev/gemini-api/docs/thought-signatures#faqs */
export const noSignature = 'skip_thought_signature_validator';

/** Placeholders for missing signatures. https://ai.google.dev/gemini-api/docs/thought-signatures#faqs */
const fillers: ReadonlySet<string> = new Set([noSignature, 'context_engineering_is_the_way_to_go']);

/** Reads the signature of a caller's part; undefined if it has none or a placeholder. */
export function readCallerSignature(text: string | undefined): Seal | undefined {
  if (text === undefined || text === '' || fillers.has(text) || fillers.has(Buffer.from(text, 'base64').toString('latin1')))
    return undefined;
  return readSignature(text);
}
