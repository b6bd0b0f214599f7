import type { ChannelRun } from '#shared/channel-runs.ts';
import type { Language } from '#shared/errors.ts';

/**
 * The current or last run of a kind. A process works on it while it holds the lease; after that expires, another one
 * continues.
 */
export interface ChannelRunRecord extends Omit<ChannelRun, 'state' | 'started_by'> {
  /** `tests` or `balances`. */
  id: string;
  /** `waiting`: no run yet; the interval to the first one starts at `started_at`. */
  state: ChannelRun['state'] | 'waiting';
  /** Holder of the lease: a random name per process and lease. */
  owner: string;
  /** Milliseconds. */
  expires_at: number;
  /** 0 for the schedule. */
  started_by: number;
  started_name: string;
  /** Language of its failure texts. */
  language: Language;
}
