import type { AuditAction, AuditKind } from '#shared/audit-spec.ts';

/** One change of one object, or one sign-in. Entries are never edited; only the retention removes them. */
export interface AuditEntryRecord {
  /** Begins with the time (base 36, milliseconds), so that ids are in the order of time. */
  id: string;
  /** Milliseconds. */
  at: number;
  /** `user:<id>`, `system` or `visitor`. */
  actor: string;
  /** Way in which the actor was identified. */
  actor_by: 'session' | 'access_token' | 'job' | 'none';
  /** Username, or the job's name. */
  actor_name: string;
  actor_role: number;
  kind: AuditKind;
  action: AuditAction;
  /** `<kind>:<id>`; the kind alone if no single object is concerned. */
  object: string;
  name: string;
  /** Role of the user that the object is or belongs to; 0 for others. Readers of the same role do not see it. */
  rank: number;
  changes: AuditChange[];
  /** Number of changes beyond the stored ones. */
  more?: number;
  /** Record in `option_changes` with the difference of a setting. */
  setting_change?: number;
  reason?: string;
  ip: string;
  user_agent: string;
  request_id: string;
  /** Failed sign-ins that are joined in this entry, and the time of the last one in milliseconds. */
  count?: number;
  last_at?: number;
  /**
   * Milliseconds since which the outcome is open: the entry is stored before the change. Undefined once the change is
   * known to be stored.
   */
  pending_at?: number;
  /** The server stopped during the change, and its outcome cannot be known. */
  unconfirmed?: boolean;
  /** Where the changed record is stored. */
  stored_in?: AuditedName;
  record_id?: number;
  /** The change removes the record. */
  removes?: boolean;
  /** Reference of the ledger entry that is the change. */
  ledger_ref?: string;
}

/** Collections whose changes are recorded where they are stored. */
export type AuditedName =
  | 'users'
  | 'tokens'
  | 'channels'
  | 'redemptions'
  | 'organisations'
  | 'organisation_members'
  | 'teams'
  | 'organisation_invites';

/** Difference of one field. Values of secrets are not stored. */
export interface AuditChange {
  field: string;
  before?: string | number | boolean;
  after?: string | number | boolean;
  secret?: 'set' | 'replaced' | 'removed';
  /** Of lists: what differs, and how many names there are besides. */
  added?: string[];
  removed?: string[];
  more?: number;
}
