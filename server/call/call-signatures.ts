// What providers signed calls of tools with, by user and the call's id, for callers that do not send it back. In this process alone:
// what is not found is as if it had never been kept.
import type { AppContext } from '#server/context.ts';
import type { Seal } from '#server/formats/seal.ts';
import type { SignatureMemory } from '#server/formats/signature-memory.ts';
import type { ShareLimits } from '#server/queues/shares.ts';
import { createUserMemory } from '#server/queues/user-memory.ts';

export interface CallSignatures {
  /** What is another user's is not in it. */
  of(userId: number): SignatureMemory;
  /** Bytes that are kept, roughly and at the most. */
  readonly bytes: number;
}

/** Null: the provider has given the id to several calls, and it is not known which of them is meant. */
type Known = Seal | null;

const mebibyte = 1024 * 1024;
/** Bytes. Agents take some KB for a step. */
const mostBytes: ShareLimits = { all: 64 * mebibyte, perOwner: 4 * mebibyte };
/** Of one signature. */
const mostOfCall = 256 * 1024;
/** Characters; those of vendors have 64 at the most. */
const longestId = 256;
/** Milliseconds since a call was last spoken of. */
const retentionMs = 6 * 60 * 60_000;

export function createCallSignatures({ now }: Pick<AppContext, 'now'>, most: ShareLimits = mostBytes): CallSignatures {
  const memory = createUserMemory<Known>({ now, most, retentionMs, isRenewed: true });

  function note(userId: number, callId: string, seal: Seal): void {
    if (callId === '' || callId.length > longestId) return;
    // A wrong signature is refused, and none is not: an id that is not unique finds nothing.
    const known = memory.get(userId, callId);
    if (known === null || known?.data === seal.data) return;
    const stored = known === undefined ? seal : null;
    // The engine may take two bytes for a character.
    const bytes = 2 * (callId.length + (stored?.data.length ?? 0));
    if (bytes <= mostOfCall) memory.set(userId, callId, stored, bytes);
  }

  return {
    of: (userId) => ({
      note: (callId, seal) => note(userId, callId, seal),
      find: (callId) => memory.get(userId, callId) ?? undefined,
    }),
    get bytes() {
      return memory.bytes;
    },
  };
}
