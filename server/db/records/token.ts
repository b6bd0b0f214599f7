import type { TokenApplication } from '#shared/tokens.ts';
import type { ManagedMark } from './managed-mark.ts';
import type { MoneyFields } from './money-fields.ts';

export interface TokenRecord extends MoneyFields {
  id: number;
  user_id: number;
  /**
   * In an organisation: the member whose token it is, or 0 for a service account. Never changes: a key that is handed over gets another token. Undefined for
   * tokens of a person.
   */
  member_id?: number;
  /** Team of a service account; 0 or undefined for none. */
  team_id?: number;
  name: string;
  /** Keyed hash of the key, for look-up; of a key that is only known by its SHA-256, `sha256Hash` of that. */
  key_hash: string;
  /** The encrypted key; returned only in its owner's list. Empty if the key is not known. */
  key_cipher: string;
  /** Last characters of a key that is not known. Undefined for others. */
  key_ending?: string;
  /**
   * Keyed hash of the previous secret, its expiry (Unix seconds) and its last characters. Undefined if the key was never renewed; earlier versions did not
   * store the last characters.
   */
  old_key_hash?: string;
  old_key_until?: number;
  old_key_ending?: string;
  /** Same for earlier secrets, the latest first. */
  old_key_hash_2?: string;
  old_key_until_2?: number;
  old_key_ending_2?: string;
  old_key_hash_3?: string;
  old_key_until_3?: number;
  old_key_ending_3?: string;
  old_key_hash_4?: string;
  old_key_until_4?: number;
  old_key_ending_4?: string;
  old_key_hash_5?: string;
  old_key_until_5?: number;
  old_key_ending_5?: string;
  /** Last characters of the current key, for search and display. Undefined in records of earlier versions until a job adds it. */
  ending?: string;
  status: number;
  /** Reason why an administrator disabled it, for its owner, who cannot enable it then. Undefined if none did. */
  blocked_reason?: string;
  /** Unix seconds. */
  blocked_time?: number;
  blocked_by?: number;
  /** Its owner had disabled it before: it is disabled again once an administrator no longer blocks it. */
  disabled_before_block?: true;
  /** Limits that an administrator has set and the owner cannot change, comma-separated (`HeldLimit`). Undefined for none. */
  held?: string;
  /** JSON of limits that another member who manages the organisation has set, and of its disabling (`accounts/member-bounds.ts`). Undefined for none. */
  member_bounds?: string;
  member_stop?: string;
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
  /** Empty for the owner's group; `auto` for the first of a list of groups that serves the model. */
  group: string;
  /** Groups of group `auto`, in their order, comma-separated. Undefined or empty for the setting `AutoGroups`. */
  auto_groups?: string;
  /** Retries of group `auto` continue with the channels of the next group. Undefined for false. */
  cross_group_retry?: boolean;
  /** Maximum quota of one session's calls. Undefined or 0 for no limit. */
  session_budget?: number;
  /** `accounts/stored-limits.ts` */
  rate_limits?: string;
  budgets?: string;
  /** Application that has its key, and `user_id` and the application's `ref` again for the index. Undefined if its owner created it. */
  application?: TokenApplication;
  app_of?: number;
  app_ref?: string;
  /** Token that has its key now, because an administrator moved the key to another user; the calls until then stay with this one. */
  moved_to?: number;
  /** While that runs: milliseconds of its beginning, and who does it. */
  moving_at?: number;
  moving_by?: number;
  /** Token that had its key before. */
  moved_from?: number;
  /**
   * First token of the same account that had its key: budgets and rate limits of the key continue under this id when it is handed over. Undefined for its own.
   */
  counts_as?: number;
  /** Administrator who deleted it, so that its owner cannot restore it. Undefined if its owner did. */
  deleted_by?: number;
  DeletedAt: string | null;
  revision: number;
  /** Undefined if no file manages it. */
  managed?: ManagedMark;
  /** `managed.by`, for the index. */
  managed_by?: string;
  /** Mark of the last change in the audit log (`server/audit-log/`). Undefined in records of earlier versions. */
  audited?: string;
}
