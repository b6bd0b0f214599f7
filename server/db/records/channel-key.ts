import type { FailureReason } from '#shared/failure-reasons.ts';
import type { SignInRenewal } from './channel.ts';

/**
 * One of several keys of a channel. A channel without such records has the one key in its own record; a channel with them
 * uses them alone, and its own record repeats the first one for search and for copies.
 */
export interface ChannelKeyRecord {
  id: number;
  channel_id: number;
  /** Encrypted for the purpose `channel_key`. */
  key_cipher: string;
  /** Keyed hash of the key; unique in the channel. */
  key_hash: string;
  /** Last characters, by which administrators recognize the key. */
  ending: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  /** Unix seconds of the last change of `status`; 0 if there was none. */
  status_time: number;
  /** User who disabled the key; empty if none did. */
  status_by: string;
  /** Why the key was disabled automatically; null if it was not. */
  reason: FailureReason | null;
  /** Upstream status of that refusal; 0 if there is none. */
  reason_status: number;
  /** Whether the account behind the key has no balance left, according to that refusal. */
  no_balance: boolean;
  /** Cool-downs that have not ended, or ended lately. */
  cooldowns: KeyCooldown[];
  /** Counts writes of cool-downs that began: each is based on the one before. Undefined if there was none. */
  cooldown_writes?: number;
  /** At least 1. */
  weight: number;
  /** Maximum calls in progress per process; 0 without a limit. */
  most_parallel: number;
  note: string;
  /** Unix seconds. */
  created_time: number;
  /** Totals, added about once a minute. Unix seconds of the last call; 0 if there was none. */
  calls: number;
  failures: number;
  tokens: number;
  last_used_time: number;
  /** Last renewal of its sign-in; undefined if there was none. */
  renewal?: SignInRenewal;
  revision: number;
}

/** Cool-down of a key. */
export interface KeyCooldown {
  /** Model that it concerns; empty for all. */
  model: string;
  /** End, milliseconds. */
  until: number;
  /** Upstream status that caused it; 200 if the remaining quota of a response did. */
  status: number;
}
