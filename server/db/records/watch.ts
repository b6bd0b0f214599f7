import type { GuidedRefusal } from '#shared/first-call.ts';

/** A user who waits for a first call; has the user's id. */
export interface WatchRecord {
  id: number;
  /** IP address whose calls with unknown keys are shown as well; empty for none. */
  address: string;
  /** Milliseconds. */
  expires_at: number;
  /** The newest refusal. */
  refusal: GuidedRefusal | null;
}
