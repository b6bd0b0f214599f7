// `encrypted_content`: the one place of this format for what only a vendor's models can read. OpenAI's own stands there as it is. What
// other vendors wrote says what it belongs to, because a reasoning item has no other place for that.
import { readSeal, writeSeal } from '../seal.ts';
import type { Seal } from '../seal.ts';

/** The signature of the item's text; thoughts of their own; or what belongs to the call behind the item, whose text is not signed. */
export type SealedKind = 'signature' | 'thoughts' | 'call';

const marks = { thoughts: 'thoughts:', call: 'call:' } as const;

export function writeEncrypted(seal: Seal, kind: SealedKind): string {
  const isMarked = kind !== 'signature' && seal.origin !== 'openai';
  return writeSeal(isMarked ? { ...seal, data: `${marks[kind]}${seal.data}` } : seal, 'openai');
}

/** @param hasText whether the item has a text that could be signed */
export function readEncrypted(text: string, hasText: boolean): { seal: Seal; kind: SealedKind } {
  const seal = readSeal(text, 'openai');
  if (seal.origin === 'openai') return { seal, kind: hasText ? 'signature' : 'thoughts' };
  for (const kind of ['thoughts', 'call'] as const) {
    const mark = marks[kind];
    if (seal.data.startsWith(mark)) return { seal: { ...seal, data: seal.data.slice(mark.length) }, kind };
  }
  return { seal, kind: 'signature' };
}
