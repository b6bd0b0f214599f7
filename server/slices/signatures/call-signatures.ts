// Stores providers' signatures of tool calls by user and call id, for callers that do not send them back. The memory belongs to this
// process; a signature that is not found counts as never stored.
import type { AppContext } from '#server/context.ts';
import type { Seal } from '#server/formats/seal.ts';
import type { SignatureMemory } from '#server/formats/signature-memory.ts';
import type { ShareLimits } from '#server/queues/shares.ts';
import { createUserMemory, type UserMemory } from '#server/queues/user-memory.ts';

export interface CallSignatures {
  /** The memory of one user. */
  of(userId: number): SignatureMemory;
  /** Upper estimate of the bytes in memory. */
  readonly bytes: number;
}

/** Null: the provider gave the id to several calls, so it identifies none of them. */
type Known = Seal | null;

const mebibyte = 1024 * 1024;
/** Bytes. A step of an agent takes some KB. */
const mostBytes: ShareLimits = { all: 64 * mebibyte, perOwner: 4 * mebibyte };
/** Bytes of one signature. */
const mostOfCall = 256 * 1024;
/** Characters of a call id; vendors' have at most 64. */
const longestId = 256;
/** Milliseconds since the last use of a call's id. */
const retentionMs = 6 * 60 * 60_000;

export function createCallSignatures({ now }: Pick<AppContext, 'now'>, most: ShareLimits = mostBytes): CallSignatures {
  const memory = createUserMemory<Known>({ now, most, retentionMs, isRenewed: true });

  return {
    of: (userId) => new UserSignatures(memory, userId),
    get bytes() {
      return memory.bytes;
    },
  };
}

/** A class, because every call has one: methods are shared, closures are not. */
class UserSignatures implements SignatureMemory {
  readonly #memory: UserMemory<Known>;
  readonly #userId: number;

  constructor(memory: UserMemory<Known>, userId: number) {
    this.#memory = memory;
    this.#userId = userId;
  }

  note(callId: string, seal: Seal): void {
    if (callId === '' || callId.length > longestId) return;
    // A wrong signature is refused, and none is not: an id that is not unique finds nothing.
    const known = this.#memory.get(this.#userId, callId);
    if (known === null || known?.data === seal.data) return;
    const stored = known === undefined ? seal : null;
    // The engine may take two bytes for a character.
    const bytes = 2 * (callId.length + (stored?.data.length ?? 0));
    if (bytes <= mostOfCall) this.#memory.set(this.#userId, callId, stored, bytes);
  }

  find(callId: string): Seal | undefined {
    return this.#memory.get(this.#userId, callId) ?? undefined;
  }
}
