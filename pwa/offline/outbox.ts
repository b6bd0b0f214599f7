// Edits of settings that wait for the server. They are stored in IndexedDB, are sent in order when the server is reachable again, one tab at a time,
// and stop at the first conflict with another user's edit. Deletions, keys, payments and secrets are never queued.
import { type CallFailure, failureOf } from '#pwa/api/failure.ts';
import { offlineDatabase } from './database.ts';
import { currentConnection, onConnectionChange } from './online-status.tsx';
import type { OptionState, OutboxEntry } from './outbox-entry.ts';
import { kindOf } from './edits/registry.ts';
import { showBadge } from './app-badge.ts';
import { outboxEntries, outboxLock, publishOutbox, type QueuedEdit } from './outbox-store.ts';

export { outboxEntries, type QueuedEdit, useOutbox } from './outbox-store.ts';

interface OutboxSettings {
  userId: () => number;
  /** Called after edits have reached the server: the first parts of the keys of the queries that show them. */
  onSent: (shownBy: ReadonlySet<unknown>) => void;
}

const retryPause = 30_000;
let settings: OutboxSettings = { userId: () => 0, onSent: () => {} };
let channel: BroadcastChannel | undefined;
let lastTurn: Promise<unknown> = Promise.resolve();
let retryTimer: ReturnType<typeof setTimeout> | undefined;

/** Reads what is queued and sends it as soon as the server answers. Gives the way to stop. */
export function startOutbox(given: OutboxSettings): () => void {
  settings = given;
  channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(outboxLock);
  if (channel !== undefined) channel.onmessage = () => void reload();
  const stopWatching = onConnectionChange(() => {
    if (currentConnection() === 'online') void replayOutbox();
  });
  const hideBadge = showBadge();
  void reload().then(replayOutbox);
  return () => {
    stopWatching();
    hideBadge();
    channel?.close();
    clearTimeout(retryTimer);
    settings = { userId: () => 0, onSent: () => {} };
    publishOutbox([]);
  };
}

/** Reads the queue again, for another user or after another tab changed it. */
export async function reload(): Promise<void> {
  publishOutbox(await readEntries());
}

/**
 * Queues an edit and tries to send it. A second edit of the same setting replaces the value of the first and retains its base; back at the base
 * value, nothing is left to send, unless the first is in flight.
 */
export async function queueEdit(edit: { optionKey: string; base: OptionState; mine: string }): Promise<void> {
  const userId = settings.userId();
  if (userId === 0) throw new Error('nobody is signed in');
  const database = await offlineDatabase();
  const transaction = database.transaction('outbox', 'readwrite');
  const queued = await transaction.store.index('user').getAll(userId);
  const earlier = queued.find((entry) => entry.optionKey === edit.optionKey);
  const base = earlier?.base ?? edit.base;
  const isBack = edit.mine === base.value && earlier?.isSending !== true;
  if (isBack && earlier?.id !== undefined) await transaction.store.delete(earlier.id);
  else if (!isBack) {
    const { refusal: _refusal, ...kept } = earlier ?? { userId, optionKey: edit.optionKey };
    const state = earlier?.state === 'conflict' ? 'conflict' : 'waiting';
    await transaction.store.put({ ...kept, base, mine: edit.mine, editedAt: now(), state });
  }
  await transaction.done;
  await changed();
  await replayOutbox();
}

/** Changes the value of a queued edit; also the way out of a refusal. */
export async function changeEdit(id: number, mine: string): Promise<void> {
  await update(id, ({ refusal: _refusal, ...entry }) => ({
    ...entry,
    mine,
    editedAt: now(),
    state: entry.state === 'conflict' ? 'conflict' : 'waiting',
  }));
  await replayOutbox();
}

/** Drops a queued edit; what the server has stays. */
export async function discardEdit(id: number): Promise<void> {
  await (await offlineDatabase()).delete('outbox', id);
  await changed();
  await replayOutbox();
}

/** Ends a conflict: `value` is to replace what the server has now. Choosing theirs is `discardEdit`. */
export async function resolveConflict(id: number, value: string): Promise<void> {
  await update(id, ({ theirs, ...entry }) => ({
    ...entry,
    mine: value,
    state: 'waiting',
    ...(theirs === undefined ? {} : { base: theirs }),
  }));
  await replayOutbox();
}

/** Drops everything that a user has queued, at a sign-out that he confirmed. */
export async function discardAll(userId: number): Promise<void> {
  const transaction = (await offlineDatabase()).transaction('outbox', 'readwrite');
  for (const key of await transaction.store.index('user').getAllKeys(userId)) await transaction.store.delete(key);
  await transaction.done;
  await changed();
}

/** Sends what waits, in order, until one has to wait longer. Only one tab at a time does so. */
export async function replayOutbox(): Promise<void> {
  clearTimeout(retryTimer);
  if (currentConnection() === 'offline' || outboxEntries().length === 0) return;
  await exclusively(async () => {
    const sent: string[] = [];
    // Read again under the lock: another tab may have sent some of them.
    for (const entry of await readEntries()) {
      if ((await send(entry)) === 'stop') break;
      sent.push(entry.optionKey);
    }
    await changed();
    if (sent.length > 0) settings.onSent(new Set(sent.map((key) => kindOf(key).shownBy)));
  });
}

/** Gives `next` when nothing is left of the entry, so that the one after it may go. */
async function send({ id, userId }: QueuedEdit): Promise<'next' | 'stop'> {
  // Another user may have signed in since the queue was read.
  if (userId !== settings.userId()) return 'stop';
  const sent = await revise(id, (entry) => ({ ...entry, isSending: entry.state === 'waiting' }));
  if (sent === undefined) return 'next';
  if (!sent.isSending) return 'stop';
  let change: (entry: OutboxEntry) => OutboxEntry | undefined;
  try {
    const { theirs } = kindOf(sent.optionKey);
    const reply = await kindOf(sent.optionKey).save(sent);
    change = saved(sent, theirs(reply, sent.optionKey) ?? { ...sent.base, value: sent.mine });
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (isPassing(failure)) {
      await revise(id, (entry) => ({ ...entry, isSending: false }));
      return 'stop';
    }
    change = refused(sent, failure);
  }
  const left = await revise(id, (entry) => change({ ...entry, isSending: false }));
  if (left === undefined) return 'next';
  // It was edited meanwhile, or is to replace a newer revision of the same value.
  return left.state === 'waiting' ? send({ ...left, id }) : 'stop';
}

/** What is left of an entry after the server took `sent`: nothing, or the edit that was made of it meanwhile. */
const saved = (sent: OutboxEntry, base: OptionState) => (entry: OutboxEntry) =>
  entry.mine === sent.mine || entry.mine === base.value ? undefined : { ...entry, base };

/** What is left of an entry after the server refused `sent`. */
const refused =
  (sent: OutboxEntry, failure: CallFailure) =>
  (entry: OutboxEntry): OutboxEntry | undefined => {
    const theirs = failure.code === 'revision_conflict' ? kindOf(sent.optionKey).theirs(failure.data, sent.optionKey) : undefined;
    if (theirs === undefined) return entry.mine === sent.mine ? { ...entry, state: 'refused', refusal: failure.message } : entry;
    // The value is already set: sent before a crash, or by another user.
    if (theirs.value === entry.mine) return undefined;
    return theirs.value === entry.base.value || theirs.value === sent.mine
      ? { ...entry, base: theirs }
      : { ...entry, state: 'conflict', theirs };
  };

/** Whether the same call may succeed later; sees to it that it is tried. */
function isPassing({ isUnreachable, status, retryAfter }: CallFailure): boolean {
  if (isUnreachable || status === 401) return true;
  if (status !== 429 && status < 500) return false;
  retryTimer = setTimeout(() => void replayOutbox(), (retryAfter ?? 0) * 1000 || retryPause);
  return true;
}

async function update(id: number, change: (entry: OutboxEntry) => OutboxEntry): Promise<void> {
  await revise(id, change);
  await changed();
}

/** Changes an entry as it is stored by now, or removes it. What was removed stays so. */
async function revise(id: number, change: (entry: OutboxEntry) => OutboxEntry | undefined): Promise<OutboxEntry | undefined> {
  const transaction = (await offlineDatabase()).transaction('outbox', 'readwrite');
  const entry = await transaction.store.get(id);
  const next = entry && change(entry);
  if (next !== undefined) await transaction.store.put(next);
  else if (entry !== undefined) await transaction.store.delete(id);
  await transaction.done;
  return next;
}

async function readEntries(): Promise<QueuedEdit[]> {
  const userId = settings.userId();
  if (userId === 0) return [];
  const found = await (await offlineDatabase()).getAllFromIndex('outbox', 'user', userId).catch((): OutboxEntry[] => []);
  return found.filter((entry): entry is QueuedEdit => entry.id !== undefined).sort((one, other) => one.id - other.id);
}

async function changed(): Promise<void> {
  await reload();
  channel?.postMessage('changed');
}

async function exclusively(work: () => Promise<void>): Promise<void> {
  // Within this tab by turns; between tabs by a lock. Web Locks need a secure context: without them there is no service
  // worker either, and one tab is the rule.
  const locks: LockManager | null | undefined = navigator.locks;
  const turn = lastTurn.then(() => (locks ? locks.request(outboxLock, work) : work()));
  lastTurn = turn.catch(() => undefined);
  await turn;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
