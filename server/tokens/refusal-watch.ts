// Reports to a user who is about to make a first call why it was refused. While the guide is open its user is watched: the newest refusal is stored
// in one record, which any process may write and any may read. Nothing is stored about other users.
import { isIP } from 'node:net';
import type { GuidedRefusal } from '#shared/first-call.ts';
import type { AppContext } from '#server/context.ts';
import type { WatchRecord } from '#server/db/records/watch.ts';
import { isLoopback, subscriberOf } from '#server/http/client-address.ts';

export interface RefusedCall {
  /** Whose key it was; null: no such key. */
  userId: number | null;
  refusal: GuidedRefusal;
}

export interface RefusalWatch {
  /** Starts or extends a watch; returns the newest refusal. `address`: calls with unknown keys from there are shown to this user; empty: none are. */
  open(userId: number, address: string): Promise<GuidedRefusal | null>;
  /** Whether any user waits: without a watch, a refusal costs nothing. */
  readonly isWatching: boolean;
  note(call: RefusedCall): void;
  stop(): void;
}

const lifeMs = 90_000;
/** Other processes learn of a longer life only when so little of it is left. */
const renewBelowMs = 45_000;
/** What is older has been read, or is of no interest any more. */
const retentionMs = 600_000;
/** More are not watched for at once: it is a comfort, and must not cost memory. */
const mostWatches = 1000;
const mostAddressWatches = 50;

interface Watch {
  /** Address whose unknown keys are shown; empty: none. */
  place: string;
  expiresAt: number;
  /** Not stored yet; a newer one takes its place. */
  pending: GuidedRefusal | null;
  isWriting: boolean;
}

export function createRefusalWatch(context: AppContext): RefusalWatch {
  const { db, changes, now } = context;
  const watches = db.collection('watches');
  const byUser = new Map<number, Watch>();
  const withPlace = new Map<number, Watch>();

  async function reload(id: number): Promise<void> {
    const record = await watches.get(id);
    forget(id);
    if (record === null || record.expires_at <= now()) return;
    for (const [old, { expiresAt }] of byUser) if (expiresAt <= now()) forget(old);
    if (byUser.size >= mostWatches) return;
    const watch: Watch = { place: placeOf(record.address), expiresAt: record.expires_at, pending: null, isWriting: false };
    byUser.set(id, watch);
    if (watch.place !== '' && withPlace.size < mostAddressWatches) withPlace.set(id, watch);
  }

  function forget(id: number): void {
    byUser.delete(id);
    withPlace.delete(id);
  }

  const stopListening = changes.listen('watch', (id) => reload(Number(id)));

  function keep(id: number, watch: Watch, refusal: GuidedRefusal): void {
    if (watch.expiresAt <= now()) {
      forget(id);
      return;
    }
    watch.pending = refusal;
    if (watch.isWriting) return;
    watch.isWriting = true;
    context.waitUntil(write(id, watch));
  }

  /** One write at a time, of the newest: a flood of refusals is as many writes as the database takes one after the other. */
  async function write(id: number, watch: Watch): Promise<void> {
    try {
      while (watch.pending !== null) {
        const refusal = watch.pending;
        watch.pending = null;
        await watches.patch({ id }, { set: { refusal } });
      }
    } finally {
      watch.isWriting = false;
    }
  }

  return {
    async open(userId, address) {
      const record = await watches.get(userId);
      const isFresh = record !== null && record.address === address && record.expires_at - now() >= renewBelowMs;
      if (!isFresh) {
        const fresh: WatchRecord = { id: userId, address, expires_at: now() + lifeMs, refusal: null };
        await watches.patch({ id: userId }, { set: { address, expires_at: fresh.expires_at } }, { insertIfMissing: fresh });
        await changes.announce('watch', userId);
      }
      const refusal = record?.refusal ?? null;
      return refusal !== null && refusal.at * 1000 > now() - retentionMs ? refusal : null;
    },
    get isWatching() {
      return byUser.size > 0;
    },
    note({ userId, refusal }) {
      if (userId !== null) {
        const watch = byUser.get(userId);
        if (watch !== undefined) keep(userId, watch, refusal);
        return;
      }
      const place = withPlace.size === 0 ? '' : placeOf(refusal.ip);
      for (const [id, watch] of withPlace) if (watch.place === place) keep(id, watch, refusal);
    },
    stop: stopListening,
  };
}

/** Removes the watches that have ended; run from time to time. */
export async function sweepWatches({ db, now }: AppContext): Promise<number> {
  return db.collection('watches').remove({ expires_at: { lt: now() - retentionMs } });
}

/** This machine has several addresses for itself, and a browser may use another one than a terminal. */
function placeOf(address: string): string {
  if (address === '' || isIP(address) === 0) return '';
  return isLoopback(address) ? 'this machine' : subscriberOf(address);
}
