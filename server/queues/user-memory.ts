// What a process remembers for a while of each user's, within bounds: so much in all, so much a user. Whoever fills his share loses his
// oldest; when all is full, those who have most do. What is not found is as if it had never been kept.
import { LRUCache } from 'lru-cache';
import { createShares } from './shares.ts';
import type { ShareLimits } from './shares.ts';

export interface UserMemory<Value> {
  /** Undefined: there is none. Another user's is never found. */
  get(userId: number, key: string): Value | undefined;
  /** @param bytes what it takes with its key, roughly and at the most; one that is larger than a user's share is not kept */
  set(userId: number, key: string, value: Value, bytes: number): void;
  /** What was there is found by nobody any more. */
  take(userId: number, key: string): Value | undefined;
  /** Bytes that are kept, roughly and at the most. */
  readonly bytes: number;
}

export interface UserMemoryOptions {
  /** Unix milliseconds. */
  now(): number;
  /** Bytes. */
  most: ShareLimits;
  /** Milliseconds since an entry was last set, or last found as well where `isRenewed`. */
  retentionMs: number;
  isRenewed: boolean;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

type Entries<Value> = LRUCache<string, Entry<Value>>;

const cleaningMs = 10 * 60_000;
/** What a user and an entry take beside their texts, measured. */
const bytesOfUser = 4096;
const bytesOfEntry = 512;

export function createUserMemory<Value>(options: UserMemoryOptions): UserMemory<Value> {
  const { now, most } = options;
  /** Whoever was heard of last stands last. */
  const users = new Map<number, Entries<Value>>();
  const shares = createShares<number>();
  let cleanAt = now() + cleaningMs;

  function open(userId: number): Entries<Value> {
    shares.add(userId, bytesOfUser);
    return createEntries(options, (bytes) => shares.add(userId, -bytes));
  }

  function close(userId: number): void {
    users.delete(userId);
    shares.add(userId, -bytesOfUser);
  }

  function received(userId: number, entries: Entries<Value>): void {
    users.delete(userId);
    users.set(userId, entries);
  }

  function get(userId: number, key: string): Value | undefined {
    const entries = users.get(userId);
    if (entries === undefined) return undefined;
    received(userId, entries);
    return entries.get(key)?.value;
  }

  /** Nobody else finds old ones again. */
  function clean(): void {
    cleanAt = now() + cleaningMs;
    for (const [userId, entries] of users) {
      entries.purgeStale();
      if (entries.size === 0) close(userId);
    }
  }

  /** Those who have most lose their oldest, so that nobody can push out what others have who have less. An eighth is free then. */
  function evenOut(): void {
    clean();
    const aim = most.all * (7 / 8);
    const all = Array.from(users.keys(), (userId) => shares.of(userId));
    const share = shareWithin(aim, all, most.perOwner);
    for (const [userId, entries] of users) {
      if (shares.total <= aim) return;
      while (shares.total > aim && shares.of(userId) > share && entries.size > 0) entries.pop();
      if (entries.size === 0) close(userId);
    }
  }

  return {
    get,
    set(userId, key, value, textBytes) {
      if (now() >= cleanAt) clean();
      const bytes = bytesOfEntry + textBytes;
      if (bytes > most.perOwner - bytesOfUser) return;
      const entries = users.get(userId) ?? open(userId);
      received(userId, entries);
      shares.add(userId, bytes);
      entries.set(key, { value, bytes });
      if (!shares.fits(userId, 0, { all: most.all })) evenOut();
    },
    take(userId, key) {
      const value = get(userId, key);
      const entries = users.get(userId);
      entries?.delete(key);
      if (entries?.size === 0) close(userId);
      return value;
    },
    get bytes() {
      return shares.total;
    },
  };
}

/** @param freed told of the bytes of whatever is not kept any more */
function createEntries<Value>(options: UserMemoryOptions, freed: (bytes: number) => void): Entries<Value> {
  const { now, most, retentionMs, isRenewed } = options;
  return new LRUCache({
    maxSize: most.perOwner - bytesOfUser,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: retentionMs,
    updateAgeOnGet: isRenewed,
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
