// What is queued, for those who only look: the chip in the top bar is drawn long before anything has to be sent.
import { createStore, useStore } from '#pwa/ui/store.ts';
import type { OutboxEntry } from './outbox-entry.ts';

export type QueuedEdit = OutboxEntry & { id: number };

const entries = createStore<readonly QueuedEdit[]>([]);

/** The queued edits of the signed-in user, in the order in which they go out. */
export function useOutbox(): readonly QueuedEdit[] {
  return useStore(entries);
}

export const outboxEntries = entries.get;

export const onOutboxChange = entries.subscribe;

/** Held while edits are being sent, by one tab of all. */
export const outboxLock = 'tidegate-outbox';

/**
 * For `outbox.ts`, which reads the database. An empty queue that stays empty is no change: it would force a synchronous render of the first screen.
 */
export function publishOutbox(queued: readonly QueuedEdit[]): void {
  if (queued.length > 0 || entries.get().length > 0) entries.set(queued);
}
