import type { FailureReason } from '#shared/failure-reasons.ts';

export interface ChannelRecord {
  id: number;
  type: number;
  name: string;
  key_cipher: string;
  /** Keyed hash of the key, for search by equality. */
  key_hash: string;
  openai_organization: string;
  test_model: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  weight: number;
  priority: number;
  created_time: number;
  test_time: number;
  /** Milliseconds of the last test. */
  response_time: number;
  /** Why the last test failed, in words where `test_reason` is missing; absent or empty: it passed, or there was none. */
  test_error?: string;
  /** The same for readers of every language. Absent in records of earlier versions. */
  test_reason?: FailureReason | null;
  /** When a test by hand last passed, milliseconds; absent: none did. */
  passed_at?: number;
  /** The model that was last tested; absent: there was no test, or none that noted it. */
  tested_model?: string;
  base_url: string;
  other: string;
  /** USD. */
  balance: number;
  balance_updated_time: number;
  /** The balance after its last rise; absent: none was reported. */
  balance_full?: number;
  /** Why the last question for it failed, as of a test; absent or empty: it did not. */
  balance_error?: string;
  balance_reason?: FailureReason | null;
  /** Comma lists, as on the wire. */
  models: string;
  group: string;
  used_quota: number;
  /** JSON texts, or empty. */
  model_mapping: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  other_info: string;
  /** The last question for a renewal of its sign-in; absent: there was none. */
  renewal?: SignInRenewal;
  auto_ban: number;
  tag: string;
  max_input_tokens: number;
  revision: number;
}

export interface SignInRenewal {
  /** Of the key that it was asked with, or that it came to. */
  key_hash: string;
  /** Milliseconds. */
  at: number;
  /** Why the sign-in is over; empty: it is not, as far as is known. */
  error: string;
}
