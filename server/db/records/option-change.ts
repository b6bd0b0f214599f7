/** Change of one option by one save, without the values of secrets. */
export interface OptionChangeRecord {
  /** In the order of saves; changes of one save are adjacent. */
  id: number;
  key: string;
  /** Revision of the option afterwards. */
  revision: number;
  created_at: number;
  actor_id: number;
  /** Catalogue that a price came from. */
  source?: string | undefined;
  /** Reason that its editor wrote. */
  note?: string | undefined;
  /** Values as text. */
  before?: string | undefined;
  after?: string | undefined;
  /** Changed entries of a map, instead of its texts. */
  entries?: ChangedEntry[] | undefined;
  /** For secrets: whether a value was and is set. */
  was_set?: boolean | undefined;
  is_set?: boolean | undefined;
}

/** Without `before`, the entry is new; without `after`, it was removed. */
export interface ChangedEntry {
  name: string;
  before?: number | string | undefined;
  after?: number | string | undefined;
}
