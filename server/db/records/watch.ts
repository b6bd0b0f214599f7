import type { GuidedRefusal } from '#shared/first-call.ts';

/** Somebody who waits for a first call; the id is the user's. */
export interface WatchRecord {
  id: number;
  /** Calls with unknown keys from there are shown too; empty: none. */
  address: string;
  /** Milliseconds. */
  expires_at: number;
  /** The newest. */
  refusal: GuidedRefusal | null;
}
