/** An invitation by an administrator: the settings of the account, and the link that creates it. */
export interface InvitationRecord {
  id: number;
  username: string;
  /** Set while it is open: open invitations have unique names and mailboxes. */
  open_name?: string;
  open_mailbox?: string;
  /** As entered, or empty. */
  email: string;
  group: string;
  /** Quota. */
  quota: number;
  state: 'open' | 'accepted' | 'withdrawn';
  /** Keyed hash of the link's secret; undefined until the link is created. */
  token_hash?: string;
  /** The link was sent to the address only, so using it proves the mailbox. */
  is_mailed: boolean;
  /** The account, once created. */
  user_id?: number;
  language: 'zh' | 'en';
  created_by: number;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
  /** Milliseconds at which a mail is due; undefined if none is. */
  mail_due_at?: number;
  mail_tries?: number;
  mail?: 'sent' | 'failed';
  /** Milliseconds of its acceptance or withdrawal; it is removed some time later. */
  ended_at?: number;
}
