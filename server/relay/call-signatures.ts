// What providers signed calls of tools with, by user and the call's id, for callers that do not send it back. In this process alone:
// what is not found is as if it had never been kept.
import { LRUCache } from 'lru-cache';
import type { AppContext } from '#server/context.ts';
import type { Seal } from '#server/dialects/seal.ts';
import type { SignatureMemory } from '#server/dialects/signature-memory.ts';
import { createShares } from '#server/queues/shares.ts';
import type { ShareLimits } from '#server/queues/shares.ts';

export interface CallSignatures {
  /** What is another user's is not in it. */
  of(userId: number): SignatureMemory;
  /** Bytes that are kept, roughly and at the most. */
  readonly bytes: number;
}

/** Null: the provider has given the id to several calls, and it is not known which of them is meant. */
interface Known {
  readonly seal: Seal | null;
  readonly bytes: number;
}

type Calls = LRUCache<string, Known>;

const mebibyte = 1024 * 1024;
/** Bytes. Agents take some KB for a step. */
const mostBytes: ShareLimits = { all: 64 * mebibyte, perOwner: 4 * mebibyte };
/** Of one signature. */
const mostOfCall = 256 * 1024;
/** Characters; those of vendors have 64 at the most. */
const longestId = 256;
/** Milliseconds since a call was last spoken of. */
const keptMs = 6 * 60 * 60_000;
const cleaningMs = 10 * 60_000;

/** What a user and a call take beside their texts, measured. */
const bytesOfUser = 4096;
const bytesOfEntry = 512;

export function createCallSignatures({ now }: Pick<AppContext, 'now'>, most: ShareLimits = mostBytes): CallSignatures {
  /** Whoever was heard of last stands last. */
  const users = new Map<number, Calls>();
  const shares = createShares<number>();
  let cleanAt = now() + cleaningMs;

  function open(userId: number): Calls {
    shares.add(userId, bytesOfUser);
    return createCalls(now, most.perOwner - bytesOfUser, (bytes) => shares.add(userId, -bytes));
  }

  function close(userId: number): void {
    users.delete(userId);
    shares.add(userId, -bytesOfUser);
  }

  function heard(userId: number, calls: Calls): void {
    users.delete(userId);
    users.set(userId, calls);
  }

  function note(userId: number, callId: string, seal: Seal): void {
    if (now() >= cleanAt) clean();
    if (callId === '' || callId.length > longestId) return;
    const calls = users.get(userId);
    // A wrong signature is refused, and none is not: an id that is not unique finds nothing.
    const known = calls?.get(callId);
    if (known?.seal === null || known?.seal.data === seal.data) return;
    const kept = known === undefined ? seal : null;
    // The engine may take two bytes for a character.
    const bytes = bytesOfEntry + 2 * (callId.length + (kept?.data.length ?? 0));
    if (bytes > Math.min(mostOfCall, most.perOwner - bytesOfUser)) return;
    const owned = calls ?? open(userId);
    heard(userId, owned);
    shares.add(userId, bytes);
    owned.set(callId, { seal: kept, bytes });
    if (!shares.fits(userId, 0, { all: most.all })) evenOut();
  }

  function find(userId: number, callId: string): Seal | undefined {
    const calls = users.get(userId);
    if (calls === undefined) return undefined;
    heard(userId, calls);
    return calls.get(callId)?.seal ?? undefined;
  }

  /** Nobody else finds old ones again. */
  function clean(): void {
    cleanAt = now() + cleaningMs;
    for (const [userId, calls] of users) {
      calls.purgeStale();
      if (calls.size === 0) close(userId);
    }
  }

  /** Those who have most lose their oldest, so that nobody can push out what others have who have less. An eighth is free then. */
  function evenOut(): void {
    clean();
    const aim = most.all * (7 / 8);
    const share = shareWithin(
      aim,
      Array.from(users.keys(), (userId) => shares.of(userId)),
      most.perOwner,
    );
    for (const [userId, calls] of users) {
      if (shares.total <= aim) return;
      while (shares.total > aim && shares.of(userId) > share && calls.size > 0) calls.pop();
      if (calls.size === 0) close(userId);
    }
  }

  return {
    of: (userId) => ({ note: (callId, seal) => note(userId, callId, seal), find: (callId) => find(userId, callId) }),
    get bytes() {
      return shares.total;
    },
  };
}

/** @param freed told of the bytes of whatever is not kept any more */
function createCalls(now: () => number, maxSize: number, freed: (bytes: number) => void): Calls {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: keptMs,
    updateAgeOnGet: true,
    ttlResolution: 0,
    perf: { now },
    dispose: ({ bytes }) => freed(bytes),
  });
}

/** The most that each may have, so that all stay within `aim`; half as much as may be, at the least. */
function shareWithin(aim: number, all: readonly number[], most: number): number {
  const sumAt = (share: number) => all.reduce((sum, one) => sum + Math.min(one, share), 0);
  let share = most;
  while (sumAt(share) > aim) share /= 2;
  return share;
}
