/** A person who was invited by an administrator: what the account is to be, and the link that makes it. */
export interface InvitationRecord {
  id: number;
  username: string;
  /** While it is open: no two open ones have the same name or mailbox. */
  open_name?: string;
  open_mailbox?: string;
  /** As it was written, or empty. */
  email: string;
  group: string;
  /** Quota. */
  quota: number;
  state: 'open' | 'accepted' | 'withdrawn';
  /** Keyed hash of the link's end; absent until the link is made. */
  token_hash?: string;
  /** The link has gone to the address alone, so whoever follows it has the mailbox. */
  is_mailed: boolean;
  /** The account, once it is there. */
  user_id?: number;
  language: 'zh' | 'en';
  created_by: number;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
  /** When a mail is to leave, in milliseconds; absent: none is. */
  mail_due_at?: number;
  mail_tries?: number;
  mail?: 'sent' | 'failed';
  /** When it was accepted or withdrawn, in milliseconds: it is removed some time later. */
  ended_at?: number;
}
