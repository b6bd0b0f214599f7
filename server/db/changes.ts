// Feed of the `changes` collection: carries edits to the caches of all processes within a second.
import type { ChangeKind } from '#server/db/records/change.ts';

export type ChangeListener = (key: number | string) => void | Promise<void>;
/** Receives at most `keysAtOnce` keys. */
export type ChangesListener = (keys: readonly (number | string)[]) => void | Promise<void>;

/** Maximum keys announced and received in one step; the event loop runs between steps. */
export const keysAtOnce = 100;

export interface ChangeFeed {
  /**
   * Announces a changed record to every process, this one included. Resolves when the row is stored and local listeners
   * have run.
   */
  announce(kind: ChangeKind, key: number | string): Promise<void>;
  /** Same as `announce` for many records of a kind: rows are stored together, `keysAtOnce` per step. */
  announceMany(kind: ChangeKind, keys: readonly (number | string)[]): Promise<void>;
  /** Stores the row without calling local listeners. */
  announceToOthers(kind: ChangeKind, key: number | string): Promise<void>;
  /** Calls local listeners only. */
  announceHere(kind: ChangeKind, key: number | string): Promise<void>;
  /** Calls the listener for every change of that kind, of any process; returns a function that removes it. */
  listen(kind: ChangeKind, listener: ChangeListener): () => void;
  /** Same as `listen`, in batches of consecutive changes, for listeners that read many records efficiently. */
  listenMany(kind: ChangeKind, listener: ChangesListener): () => void;
  /** Called when rows may have been missed (after an outage): caches must be dropped. */
  onGap(listener: () => void | Promise<void>): () => void;
  /** Milliseconds since changes of other processes were last read. */
  readonly lagMs: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}
