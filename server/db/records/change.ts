/** One row per edit of a cached record, followed by every process. `id` increases. */
export interface ChangeRecord {
  id: number;
  kind: ChangeKind;
  key: number | string;
  /** Milliseconds. */
  at: number;
}

export type ChangeKind = 'user' | 'token' | 'channel' | 'option' | 'lease' | 'cancelled_response' | 'watch' | 'passed_test' | 'tuned_model';
