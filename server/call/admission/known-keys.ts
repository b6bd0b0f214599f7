// Caches lookups of recently used keys, by the hash of the bare key, so that callers cannot choose the size of entries. The
// change feed drops edited entries, in this process at once and in others within a second.
import { LRUCache } from 'lru-cache';
import type { AppContext } from '#server/context.ts';
import type { KeyAdmission } from './admission.ts';

export interface KnownKeys {
  /** Returns the cached admission; null if the key does not exist, undefined if nothing is cached or it is too old. */
  get(hashed: string): KeyAdmission | null | undefined;
  /** Returns the cached admission even if it is too old; null if there is none. */
  lastSeen(hashed: string): KeyAdmission | null;
  /** Reads a key. Concurrent calls with the same key share one read. */
  read(hashed: string, reader: () => Promise<KeyAdmission | null>): Promise<KeyAdmission | null>;
  /** Number of cached keys. */
  readonly size: number;
  stop(): void;
}

/** Maximum age of an entry, in case the change feed misses an edit. */
const maxAgeMs = 30_000;
/** Maximum age of the entry of a missing key; every change of a token or user drops all of them. */
const missAgeMs = 2_000;
const maxKeys = 20_000;
const maxMisses = 1_000;

export function createKnownKeys(changes: AppContext['changes']): KnownKeys {
  const found = createFoundKeys();
  const missed = new LRUCache<string, true>({ max: maxMisses, ttl: missAgeMs });
  const underWay = new Map<string, Promise<KeyAdmission | null>>();
  // Counts drops, so that a read that was in progress during an edit does not cache the former record.
  let epoch = 0;

  function forgetMisses(): void {
    epoch += 1;
    missed.clear();
    underWay.clear();
  }

  const stops = [
    changes.listen('token', (id) => {
      forgetMisses();
      found.forgetToken(Number(id));
    }),
    changes.listen('user', (id) => {
      forgetMisses();
      found.forgetUser(Number(id));
    }),
    changes.onGap(() => {
      forgetMisses();
      found.clear();
    }),
  ];

  async function readAndStore(hashed: string, reader: () => Promise<KeyAdmission | null>): Promise<KeyAdmission | null> {
    const before = epoch;
    const admission = await reader();
    if (before !== epoch) return admission;
    if (admission === null) {
      found.forget(hashed);
      missed.set(hashed, true);
    } else found.store(hashed, admission);
    return admission;
  }

  return {
    get(hashed) {
      return found.get(hashed) ?? (missed.has(hashed) ? null : undefined);
    },
    lastSeen: (hashed) => found.lastSeen(hashed) ?? null,
    read(hashed, reader) {
      const running = underWay.get(hashed);
      if (running !== undefined) return running;
      const reading = readAndStore(hashed, reader).finally(() => {
        if (underWay.get(hashed) === reading) underWay.delete(hashed);
      });
      underWay.set(hashed, reading);
      return reading;
    },
    get size() {
      return found.size + missed.size + underWay.size;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Cache of existing keys, indexed by token and user, who is the owner or the member of an organisation. Entries that are too old remain until they are evicted. */
function createFoundKeys() {
  const keysOfToken = new Map<number, Set<string>>();
  const keysOfUser = new Map<number, Set<string>>();
  const found = new LRUCache<string, KeyAdmission>({
    // Not `max`, for which the cache allocates all entries at once: milliseconds of every start.
    maxSize: maxKeys,
    sizeCalculation: () => 1,
    ttl: maxAgeMs,
    noDeleteOnStaleGet: true,
    dispose({ token, user }, hashed) {
      unlist(keysOfToken, token.id, hashed);
      unlist(keysOfUser, user.id, hashed);
      if (token.member_id) unlist(keysOfUser, token.member_id, hashed);
    },
  });

  return {
    get: (hashed: string) => found.get(hashed),
    lastSeen: (hashed: string) => found.peek(hashed, { allowStale: true }),
    forget: (hashed: string) => void found.delete(hashed),
    store(hashed: string, admission: KeyAdmission): void {
      found.delete(hashed);
      found.set(hashed, admission);
      list(keysOfToken, admission.token.id, hashed);
      list(keysOfUser, admission.user.id, hashed);
      const { member_id: member } = admission.token;
      if (member) list(keysOfUser, member, hashed);
    },
    forgetToken(id: number): void {
      for (const hashed of keysOfToken.get(id) ?? []) found.delete(hashed);
    },
    forgetUser(id: number): void {
      for (const hashed of keysOfUser.get(id) ?? []) found.delete(hashed);
    },
    clear: () => found.clear(),
    get size() {
      return found.size;
    },
  };
}

function list(index: Map<number, Set<string>>, id: number, hashed: string): void {
  const known = index.get(id);
  if (known === undefined) index.set(id, new Set([hashed]));
  else known.add(hashed);
}

function unlist(index: Map<number, Set<string>>, id: number, hashed: string): void {
  const known = index.get(id);
  known?.delete(hashed);
  if (known?.size === 0) index.delete(id);
}
