// The `changes` collection as a feed: how one process' edit reaches the caches of all others within a second.
import type { ChangeKind } from '#server/db/records/change.ts';

export type ChangeListener = (key: number | string) => void | Promise<void>;
/** Gets at most `keysAtOnce` keys. */
export type ChangesListener = (keys: readonly (number | string)[]) => void | Promise<void>;

/** Keys of changes that are announced and heard in one step; the event loop runs between the steps. */
export const keysAtOnce = 100;

export interface ChangeFeed {
  /** Tells every process, this one included, that a record changed. Resolves when the row is stored and local listeners ran. */
  announce(kind: ChangeKind, key: number | string): Promise<void>;
  /** As `announce`, of many records of a kind: their rows are stored together, `keysAtOnce` in a step. */
  announceMany(kind: ChangeKind, keys: readonly (number | string)[]): Promise<void>;
  /** The first half of `announce`: this process hears nothing. */
  announceToOthers(kind: ChangeKind, key: number | string): Promise<void>;
  /** The second half: only this process hears of it. */
  announceHere(kind: ChangeKind, key: number | string): Promise<void>;
  /** Called for every announced change of that kind, of this and of other processes; returns how to stop. */
  listen(kind: ChangeKind, listener: ChangeListener): () => void;
  /** As `listen`, for those who read many records in less than one by one: neighbouring changes come in one call. */
  listenMany(kind: ChangeKind, listener: ChangesListener): () => void;
  /** Called when rows may have been missed (the database was away): caches must be dropped. */
  onGap(listener: () => void | Promise<void>): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}
