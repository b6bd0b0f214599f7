import type { ChannelRun } from '#shared/channel-runs.ts';
import type { Language } from '#shared/errors.ts';

/** The current or last run of a kind. A process works on it while the lease is its own; whoever finds the lease ended goes on with it. */
export interface ChannelRunRecord extends Omit<ChannelRun, 'state' | 'started_by'> {
  /** `tests` or `balances`. */
  id: string;
  /** `waiting`: there was none yet, and the time for the first one runs from `started_at`. */
  state: ChannelRun['state'] | 'waiting';
  /** Of the lease: each process that takes it makes up a name of its own. */
  owner: string;
  /** Milliseconds. */
  expires_at: number;
  /** 0: the clock. */
  started_by: number;
  started_name: string;
  /** In which what went wrong is told. */
  language: Language;
}
