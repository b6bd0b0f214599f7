import type { MoneyFields } from './money-fields.ts';

export interface TokenRecord extends MoneyFields {
  id: number;
  user_id: number;
  name: string;
  /** Keyed hash of the 48-character key, for look-up. */
  key_hash: string;
  /** The key itself, encrypted; only its owner's own list returns it. */
  key_cipher: string;
  /** Keyed hash of the secret before the current one, and until when it is accepted (Unix seconds). Absent: the key was never renewed. */
  old_key_hash?: string;
  old_key_until?: number;
  /** The same of the secrets before that one, the latest first. */
  old_key_hash_2?: string;
  old_key_until_2?: number;
  old_key_hash_3?: string;
  old_key_until_3?: number;
  old_key_hash_4?: string;
  old_key_until_4?: number;
  old_key_hash_5?: string;
  old_key_until_5?: number;
  status: number;
  created_time: number;
  accessed_time: number;
  /** Unix seconds, -1: never. */
  expired_time: number;
  remain_quota: number;
  unlimited_quota: boolean;
  /** All that its calls used. */
  used_quota: number;
  /** What of that was taken from its own balance: while it was unlimited, nothing was. Absent until the first charge. */
  charged_quota?: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  /** Quota that calls of one session may cost together. Absent and 0: no bound. */
  session_budget?: number;
  DeletedAt: string | null;
  revision: number;
}
