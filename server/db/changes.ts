// The `changes` collection as a feed: how one process' edit reaches the caches of all others within a second.
import type { ChangeKind } from '#server/db/records/change.ts';

export type ChangeListener = (key: number | string) => void | Promise<void>;

export interface ChangeFeed {
  /** Tells every process, this one included, that a record changed. Resolves when the row is stored and local listeners ran. */
  announce(kind: ChangeKind, key: number | string): Promise<void>;
  /** The first half of `announce`: this process hears nothing. */
  announceToOthers(kind: ChangeKind, key: number | string): Promise<void>;
  /** The second half: only this process hears of it. */
  announceHere(kind: ChangeKind, key: number | string): Promise<void>;
  /** Called for every announced change of that kind, of this and of other processes; returns how to stop. */
  listen(kind: ChangeKind, listener: ChangeListener): () => void;
  /** Called when rows may have been missed (the database was away): caches must be dropped. */
  onGap(listener: () => void | Promise<void>): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}
