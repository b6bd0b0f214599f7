// A restored database: filled next to the current one, then put in its place, which retains the current one under another
// name.
import type { Database } from '#server/db/database.ts';
import type { CopyState, RowTarget } from '#server/db/rows/rows.ts';

export interface Replacement {
  /** Whether an interrupted replacement is completed by `complete`; if not, it has not taken place. */
  readonly isResumable: boolean;
  /** Returns the state of a restore that is filling it or replacing by it; null if none is. */
  state(): Promise<CopyState | null>;
  /** Opens the target of the rows. What an interrupted restore has left there is removed. */
  fill(): Promise<RowTarget>;
  /** Opens the filled database, before it replaces the current one. */
  open(): Promise<Database>;
  /**
   * Replaces the current database; returns the name of the replaced one, null if there was none. An interrupted
   * replacement is completed by the next call of `complete`.
   * @param stamp letters and digits for the name
   */
  replace(stamp: string): Promise<string | null>;
  /** Completes an interrupted replacement; returns whether there was one. */
  complete(): Promise<boolean>;
  /** Removes what was filled. Never call it after `replace` of a resumable one: the collections that are not replaced yet would be lost. */
  discard(): Promise<void>;
}
