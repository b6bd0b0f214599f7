import type { MoneyFields } from './money-fields.ts';

export interface UserRecord extends MoneyFields {
  id: number;
  username: string;
  /** The name without its letters' case: no two names differ by that alone. Absent in records of earlier versions until a job adds it. */
  username_folded?: string;
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
   * Who the user is at a provider, by what the provider never gives to somebody else. Of one identity there is one user. The fields
   * above are what people are shown. Absent where nothing is bound.
   */
  github_subject?: string;
  oidc_subject?: string;
  wechat_subject?: string;
  telegram_subject?: string;
  linux_do_subject?: string;
  /** The e-mail address in small letters, once its owner has shown that it is theirs. */
  email_folded?: string;
  /** Keyed hash of the system access token; absent when there is none. */
  access_token_hash?: string;
  /** Unix seconds when that token was made. */
  access_token_time?: number;
  quota: number;
  used_quota: number;
  request_count: number;
  group: string;
  aff_code?: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  /** Invite earnings that have left `aff_quota` and are on their way into the balance: name, amount, milliseconds. Absent: none are. */
  transfer_ref?: string;
  transfer_amount?: number;
  transfer_at?: number;
  /** Names of transfers of the last day, so that a repeated one is known: name → milliseconds. */
  transfers?: Record<string, number>;
  inviter_id: number;
  /** RFC 3339 time of deletion, null while the account lives. */
  DeletedAt: string | null;
  /** JSON text of the user's own settings, or empty. */
  setting: string;
  /** Signs and authorises the webhook; encrypted. Absent: there is none. */
  webhook_secret?: string;
  /** The last warning of a low balance: milliseconds, what balance and use came to together, and the full mark. */
  warned_at?: number;
  warned_sum?: number;
  warned_full?: number;
  /** The invitation that it came of. Unique: of one invitation there is one account. */
  invitation_id?: number;
  created_time: number;
  /**
   * Bonuses of the registration, and what an administrator gave a new account, that are not credited yet, in quota, who made the account, and the marks that its identities would have
   * if they had left another account; and since when the bonuses are due, in milliseconds.
   */
  welcome?: { signup: number; invitee: number; inviter: number; opening?: number; actor: number; identities?: string[] };
  welcome_at?: number;
  revision: number;
}
