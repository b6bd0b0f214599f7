// What is queued, for those who only look: the chip in the top bar is drawn long before anything has to be sent.
import { useSyncExternalStore } from 'react';
import type { OutboxEntry } from './outbox-entry.ts';

export type QueuedEdit = OutboxEntry & { id: number };

const listeners = new Set<() => void>();
let entries: readonly QueuedEdit[] = [];

/** The queued edits of the signed-in user, in the order in which they go out. */
export function useOutbox(): readonly QueuedEdit[] {
  return useSyncExternalStore(onOutboxChange, outboxEntries);
}

export function outboxEntries(): readonly QueuedEdit[] {
  return entries;
}

export function onOutboxChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** For `outbox.ts`, which reads the database. */
export function publishOutbox(next: readonly QueuedEdit[]): void {
  entries = next;
  for (const listener of listeners) listener();
}
