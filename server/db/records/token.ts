import type { MoneyFields } from './money-fields.ts';

export interface TokenRecord extends MoneyFields {
  id: number;
  user_id: number;
  name: string;
  /** Keyed hash of the 48-character key, for look-up. */
  key_hash: string;
  /** The encrypted key; returned only in its owner's list. */
  key_cipher: string;
  /** Keyed hash of the previous secret, and its expiry (Unix seconds). Undefined if the key was never renewed. */
  old_key_hash?: string;
  old_key_until?: number;
  /** Same for earlier secrets, the latest first. */
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
  /** Unix seconds; -1 for never. */
  expired_time: number;
  remain_quota: number;
  unlimited_quota: boolean;
  /** Quota used by all of its calls. */
  used_quota: number;
  /** Part of it charged to its own balance; nothing is while it is unlimited. Undefined until the first charge. */
  charged_quota?: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  /** Maximum quota of one session's calls. Undefined or 0 for no limit. */
  session_budget?: number;
  DeletedAt: string | null;
  revision: number;
  /** Mark of the last change in the audit log (`server/audit-log/`). Undefined in records of earlier versions. */
  audited?: string;
}
