import type { FailureReason } from '#shared/failure-reasons.ts';
import type { ManagedMark } from './managed-mark.ts';

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
  /**
   * Reason why the last test failed, as text if `test_reason` is undefined; undefined or empty if it passed or never
   * ran.
   */
  test_error?: string;
  /** Same as a code that can be rendered in any language. Undefined in records of earlier versions. */
  test_reason?: FailureReason | null;
  /** Time of the last passed manual test, milliseconds; undefined if there was none. */
  passed_at?: number;
  /** Model of the last test; undefined if there was none, or in records of earlier versions. */
  tested_model?: string;
  base_url: string;
  other: string;
  /** USD. */
  balance: number;
  balance_updated_time: number;
  /** Balance after its last increase; undefined if never reported. */
  balance_full?: number;
  /** Reason why the last balance request failed, as for tests; undefined or empty if it succeeded. */
  balance_error?: string;
  balance_reason?: FailureReason | null;
  /** Comma-separated lists, as on the wire. */
  models: string;
  group: string;
  used_quota: number;
  /** JSON texts, or empty. */
  model_mapping: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  other_info: string;
  /** Last renewal of its sign-in; undefined if there was none. */
  renewal?: SignInRenewal;
  auto_ban: number;
  tag: string;
  /** Note of administrators. Undefined for none. */
  remark?: string;
  max_input_tokens: number;
  revision: number;
  /** Undefined if no file manages it. */
  managed?: ManagedMark;
  /** Mark of the last change in the audit log (`server/audit-log/`). Undefined in records of earlier versions. */
  audited?: string;
}

export interface SignInRenewal {
  /** Hash of the key that was used, or obtained. */
  key_hash: string;
  /** Milliseconds. */
  at: number;
  /** Reason why the sign-in has ended; empty if it has not, as far as known. */
  error: string;
}
