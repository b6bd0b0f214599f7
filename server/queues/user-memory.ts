// In-memory cache per user, limited in total and per user. A user beyond the limit loses the oldest entries; if the
// total is full, the largest users do. A missing entry must be harmless.
import { LRUCache } from 'lru-cache';
import { createShares, type ShareLimits } from './shares.ts';

export interface UserMemory<Value> {
  /** Returns undefined if there is none; never another user's entry. */
  get(userId: number, key: string): Value | undefined;
  /** @param bytes upper bound of the entry with its key; larger entries than a user's share are not stored */
  set(userId: number, key: string, value: Value, bytes: number): void;
  /** Removes and returns the entry. */
  take(userId: number, key: string): Value | undefined;
  /** Upper bound of the stored bytes. */
  readonly bytes: number;
}

export interface UserMemoryOptions {
  /** Unix milliseconds. */
  now(): number;
  /** Limits in bytes. */
  most: ShareLimits;
  /** Milliseconds since an entry was last set, or read if `isRenewed`. */
  retentionMs: number;
  isRenewed: boolean;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

type Entries<Value> = LRUCache<string, Entry<Value>>;

const cleaningMs = 10 * 60_000;
/** Measured overhead of a user and an entry, in addition to their texts. */
const bytesOfUser = 4096;
const bytesOfEntry = 512;

export function createUserMemory<Value>(options: UserMemoryOptions): UserMemory<Value> {
  const { now, most } = options;
  /** In the order of last use. */
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

  /** Removes expired entries, which would otherwise be found only by their own user. */
  function clean(): void {
    cleanAt = now() + cleaningMs;
    for (const [userId, entries] of users) {
      entries.purgeStale();
      if (entries.size === 0) close(userId);
    }
  }

  /** Evicts the oldest entries of the largest users, so that no user can evict those of smaller ones. Frees an eighth. */
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

/** @param freed called with the bytes of each removed entry */
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

/** Largest share per user with which all stay within `aim`; at least half of the maximum. */
function shareWithin(aim: number, all: readonly number[], most: number): number {
  const sumAt = (share: number) => all.reduce((sum, one) => sum + Math.min(one, share), 0);
  let share = most;
  while (sumAt(share) > aim) share /= 2;
  return share;
}
