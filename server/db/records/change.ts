/** One row per edit of a cached record, followed by every process. `id` increases. */
export interface ChangeRecord {
  id: number;
  kind: ChangeKind;
  key: number | string;
  /** Milliseconds. */
  at: number;
}

export type ChangeKind =
  | 'user'
  | 'token'
  | 'channel'
  /** Cool-downs of a key, by its id; `<id>:new` if it was replaced or enabled. */
  | 'channel_key'
  | 'option'
  | 'lease'
  /** Period of a budget, by the budget's key. */
  | 'budget'
  | 'cancelled_response'
  | 'watch'
  | 'passed_test'
  | 'tuned_model'
  | 'checked_books'
  /** Figures of the installation for metrics, as JSON text. */
  | 'measured_site';
