/** What one save did to one option. Values of secrets are not in it. */
export interface OptionChangeRecord {
  /** In the order of the saves; those of one save stand side by side. */
  id: number;
  key: string;
  /** That the option had afterwards. */
  revision: number;
  created_at: number;
  actor_id: number;
  /** Texts of the value. */
  before?: string | undefined;
  after?: string | undefined;
  /** Of a map, in the place of its texts. */
  entries?: ChangedEntry[] | undefined;
  /** Of a secret. */
  was_set?: boolean | undefined;
  is_set?: boolean | undefined;
}

/** Without `before` it is new, without `after` it is gone. */
export interface ChangedEntry {
  name: string;
  before?: number | string | undefined;
  after?: number | string | undefined;
}
