// The console's database on this device: answers stored for reading without a network, edits that wait to be sent, and conversations of the
// playground. Every record belongs to a user; no user sees another's. `userId` 0 is the signed-out visitor (public answers only).
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Conversation } from './conversation.ts';
import { databaseName } from './database-name.ts';
import type { OutboxEntry } from './outbox-entry.ts';

export interface StoredAnswer {
  userId: number;
  /** The query's key as text, after the organisation's. */
  hash: string;
  /** Organisation whose answer it is; absent: the user's account. */
  organisationId?: number;
  queryKey: readonly unknown[];
  data: unknown;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

interface Schema extends DBSchema {
  answers: { key: [number, string]; value: StoredAnswer; indexes: { user: number } };
  outbox: { key: number; value: OutboxEntry; indexes: { user: number } };
  conversations: { key: [number, string]; value: Conversation; indexes: { user: number } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;

/** The database, or a rejection where the browser has none (a private window of some browsers). */
export function offlineDatabase(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>(databaseName, 2, {
    upgrade(database, before) {
      if (before < 1) {
        database.createObjectStore('answers', { keyPath: ['userId', 'hash'] }).createIndex('user', 'userId');
        database.createObjectStore('outbox', { keyPath: 'id', autoIncrement: true }).createIndex('user', 'userId');
      }
      if (before < 2) database.createObjectStore('conversations', { keyPath: ['userId', 'id'] }).createIndex('user', 'userId');
    },
    // Another tab runs a newer version: give way, the next use opens again.
    blocking(_current, _blocked, event) {
      if (event.target instanceof IDBDatabase) event.target.close();
      opened = undefined;
    },
    terminated() {
      opened = undefined;
    },
  });
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
}

export async function readAnswers(userId: number): Promise<StoredAnswer[]> {
  return (await offlineDatabase()).getAllFromIndex('answers', 'user', userId);
}

export async function writeAnswer(answer: StoredAnswer): Promise<void> {
  await (await offlineDatabase()).put('answers', answer);
}

export async function removeAnswers(userId: number, hashes: string[]): Promise<void> {
  const transaction = (await offlineDatabase()).transaction('answers', 'readwrite');
  await Promise.all([...hashes.map((hash) => transaction.store.delete([userId, hash])), transaction.done]);
}

/** Deletes every stored answer of a user. */
export async function wipeAnswers(userId: number): Promise<void> {
  const transaction = (await offlineDatabase()).transaction('answers', 'readwrite');
  for (const key of await transaction.store.index('user').getAllKeys(userId)) await transaction.store.delete(key);
  await transaction.done;
}
