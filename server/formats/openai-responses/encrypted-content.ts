// Reads and writes seals in `encrypted_content`, the only field for them. OpenAI's are unchanged; those of other vendors
// include the kind of data that they seal, because reasoning items have no other field for it.
import { readSeal, type Seal, writeSeal } from '../seal.ts';

/** `signature`: of the item's text; `thoughts`: encrypted thinking; `call`: seal of the call that follows the item. */
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
