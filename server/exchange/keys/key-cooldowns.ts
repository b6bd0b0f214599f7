// Shares cool-downs of keys between processes: stores those that last, announces them, and applies those of other processes. The
// state that calls are routed by is in the memory of each process.
import type { AppContext } from '#server/context.ts';
import type { Collection } from '#server/db/collection.ts';
import type { ChannelKeyRecord, KeyCooldown } from '#server/db/records/channel-key.ts';

export interface KeyCooldowns {
  /** Applies the stored cool-downs of all keys, and follows those of other processes. */
  start(): void;
  /** Stores a cool-down that began here. */
  began(keyId: number, cooldown: KeyCooldown): void;
  stop(): void;
}

interface CooldownHealth {
  pause(keyId: number, model: string, until: number): void;
  forget(keyId: number): void;
}

/** Shorter cool-downs end before other processes would know of them. */
const shortestShared = 5_000;
/** Maximum stored cool-downs of a key: one per model. */
const mostCooldowns = 8;

export function createKeyCooldowns(
  { db, changes, channels, now, log, waitUntil }: Pick<AppContext, 'db' | 'changes' | 'channels' | 'now' | 'log' | 'waitUntil'>,
  health: CooldownHealth,
): KeyCooldowns {
  const rows = db.collection('channel_keys');
  /** Cool-downs that wait until an earlier write of the same key has ended. */
  const waiting = new Map<number, KeyCooldown[]>();
  const stops: (() => void)[] = [];

  function apply(keyId: number, cooldowns: readonly KeyCooldown[]): void {
    const time = now();
    for (const { model, until } of cooldowns) if (until > time) health.pause(keyId, model, until);
  }

  async function storeWaiting(keyId: number): Promise<void> {
    for (let cooldowns = waiting.get(keyId); cooldowns !== undefined && cooldowns.length > 0; cooldowns = waiting.get(keyId)) {
      waiting.set(keyId, []);
      if (!(await storeCooldowns(rows, { keyId, cooldowns, now: now() }))) break;
      await changes.announceToOthers('channel_key', keyId);
    }
  }

  async function follow(key: number | string): Promise<void> {
    const [id = 0, isNew] = String(key).split(':');
    const keyId = Number(id);
    const record = await rows.get(keyId);
    if (record === null || isNew !== undefined) health.forget(keyId);
    if (record !== null) apply(keyId, record.cooldowns);
  }

  function applyAll(): void {
    for (const channel of channels.all()) for (const { id, record } of channel.keys?.all ?? []) apply(id, record.cooldowns);
  }

  return {
    start() {
      stops.push(changes.listen('channel_key', follow));
      applyAll();
    },
    began(keyId, cooldown) {
      if (cooldown.until - now() < shortestShared) return;
      const before = waiting.get(keyId);
      if (before !== undefined) {
        before.push(cooldown);
        return;
      }
      waiting.set(keyId, [cooldown]);
      const stored = storeWaiting(keyId).catch((failure: unknown) => {
        // This process obeys it; others find out by their own calls.
        log.warn({ key: keyId, reason: String(failure) }, 'the cool-down of a key could not be stored');
      });
      waitUntil(stored.finally(() => waiting.delete(keyId)));
    },
    stop() {
      for (const stop of stops.splice(0)) stop();
    },
  };
}

/** Adds to the stored cool-downs. Returns false if the key is gone. */
export async function storeCooldowns(
  rows: Pick<Collection<ChannelKeyRecord>, 'get' | 'patch'>,
  { keyId, cooldowns, now }: { keyId: number; cooldowns: readonly KeyCooldown[]; now: number },
): Promise<boolean> {
  const before = await rows.get(keyId);
  for (let record = before; record !== null && record.key_hash === before?.key_hash; record = await rows.get(keyId)) {
    const { key_hash, revision, cooldown_writes: writes } = record;
    // Cool-downs that another process has stored, and those that an administrator has ended meanwhile, count.
    const isSame = { id: keyId, key_hash, revision, cooldown_writes: writes ?? { exists: false } };
    const set = { cooldowns: mergeCooldowns(record.cooldowns, cooldowns, now) };
    if ((await rows.patch(isSame, { set, increment: { cooldown_writes: 1 } })) !== null) return true;
  }
  // A key that was replaced meanwhile has its own limits.
  return before !== null;
}

/** Returns the newest cool-down of each model, without those that have ended. */
export function mergeCooldowns(stored: readonly KeyCooldown[], added: readonly KeyCooldown[], now: number): KeyCooldown[] {
  const byModel = new Map<string, KeyCooldown>();
  for (const cooldown of [...stored, ...added]) {
    byModel.delete(cooldown.model);
    if (cooldown.until > now) byModel.set(cooldown.model, cooldown);
  }
  return [...byModel.values()].slice(-mostCooldowns);
}
