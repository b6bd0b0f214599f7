import type { MoneyFields } from './money-fields.ts';

export interface UserRecord extends MoneyFields {
  id: number;
  /** An account for several people, without a sign-in (`records/organisation.ts`). Undefined for a person. */
  kind?: 'organisation';
  username: string;
  /** Case-folded, unique name. Undefined in records of earlier versions until a job adds it. */
  username_folded?: string;
  /** Empty for none. Ours, or one of an account that was moved in (`accounts/imported-passwords.ts`). */
  password_hash: string;
  display_name: string;
  role: number;
  status: number;
  email: string;
  github_id: string;
  oidc_id: string;
  wechat_id: string;
  telegram_id: string;
  linux_do_id: string;
  /**
   * Unique provider identities, by ids that providers never reassign. The fields above are for display. Undefined if
   * not bound.
   */
  github_subject?: string;
  oidc_subject?: string;
  wechat_subject?: string;
  telegram_subject?: string;
  linux_do_subject?: string;
  /** The e-mail address in lower case, once verified. */
  email_folded?: string;
  /** Keyed hash of the system access token; undefined if there is none. */
  access_token_hash?: string;
  /** Unix seconds at which that token was created. */
  access_token_time?: number;
  /** Of all calls, set by administrators (`accounts/stored-limits.ts`). */
  rate_limits?: string;
  budgets?: string;
  quota: number;
  used_quota: number;
  request_count: number;
  group: string;
  aff_code?: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  /**
   * Invite earnings in transfer from `aff_quota` to the balance: reference, amount, milliseconds. Undefined if there
   * are none.
   */
  transfer_ref?: string;
  transfer_amount?: number;
  transfer_at?: number;
  /** Transfers of the last day, to detect repetitions: reference → milliseconds. */
  transfers?: Record<string, number>;
  inviter_id: number;
  /** RFC 3339 time of deletion; null while the account exists. */
  DeletedAt: string | null;
  /** JSON text of the user's settings, or empty. */
  setting: string;
  /** Signs and authorizes the webhook; encrypted. Undefined if there is none. */
  webhook_secret?: string;
  /** Last low-balance warning: milliseconds, sum of balance and use, and full mark. */
  warned_at?: number;
  warned_sum?: number;
  warned_full?: number;
  /** Invitation of the account, unique per account. */
  invitation_id?: number;
  /** Organisation whose client of SCIM has created the account. The first verified sign-in with its address takes it over. */
  provisioned_by?: number;
  created_time: number;
  /**
   * Registration bonuses and an administrator's initial credit, in quota, that are not credited yet, the creator, and
   * the marks of identities that may have left another account; and milliseconds since which the bonuses are due.
   */
  welcome?: { signup: number; invitee: number; inviter: number; opening?: number; actor: number; identities?: string[] };
  welcome_at?: number;
  revision: number;
  /** Mark of the last change in the audit log (`server/audit-log/`). Undefined in records of earlier versions. */
  audited?: string;
}
