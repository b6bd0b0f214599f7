// Signatures are bytes in this format, and its libraries decode them: what another vendor signed is wrapped.
import { readSeal, writeSeal } from '../seal.ts';
import type { Seal } from '../seal.ts';

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

export function writeSignature(seal: Seal): string {
  const text = writeSeal({ origin: seal.origin, data: seal.data }, 'gemini');
  return text === seal.data && base64.test(text) ? text : Buffer.from(text).toString('base64');
}

export function readSignature(text: string): Seal {
  const inner = Buffer.from(text, 'base64').toString('utf8');
  return inner.startsWith('tidegate-seal:') ? readSeal(inner, 'gemini') : { origin: 'gemini', data: text };
}
