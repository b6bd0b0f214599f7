// `encrypted_content`: the only field of this format for seals. OpenAI's are unchanged; those of other vendors contain what they belong to,
// since reasoning items have no other field.
import { readSeal, type Seal, writeSeal } from '../seal.ts';

/** Signature of the item's text, encrypted thinking, or seal of the call after the item. */
export type SealedKind = 'signature' | 'thoughts' | 'call';

const marks = { thoughts: 'thoughts:', call: 'call:' } as const;

export function writeEncrypted(seal: Seal, kind: SealedKind): string {
  const isMarked = kind !== 'signature' && seal.origin !== 'openai';
  return writeSeal(isMarked ? { ...seal, data: `${marks[kind]}${seal.data}` } : seal, 'openai');
}

/** @param hasText whether the item has a text that may be signed */
export function readEncrypted(text: string, hasText: boolean): { seal: Seal; kind: SealedKind } {
  const seal = readSeal(text, 'openai');
  if (seal.origin === 'openai') return { seal, kind: hasText ? 'signature' : 'thoughts' };
  for (const kind of ['thoughts', 'call'] as const) {
    const mark = marks[kind];
    if (seal.data.startsWith(mark)) return { seal: { ...seal, data: seal.data.slice(mark.length) }, kind };
  }
  return { seal, kind: 'signature' };
}
