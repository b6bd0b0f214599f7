import type { OptionState, OutboxEntry } from '#pwa/offline/outbox-entry.ts';

/** A kind of edit that may wait in the outbox: how it is sent, and what the server may have instead. */
export interface EditKind {
  /** Whether an edit with that key is one of this kind. */
  owns: (optionKey: string) => boolean;
  save: (entry: OutboxEntry) => Promise<unknown>;
  /** What the server has, from the data of a `revision_conflict`. */
  theirs: (data: unknown, optionKey: string) => OptionState | undefined;
  /** First part of the key of the queries that show it: refetched after it was sent. */
  shownBy: string;
}
