/** One row per edit of a cached record; every process follows it. `id` grows. */
export interface ChangeRecord {
  id: number;
  kind: ChangeKind;
  key: number | string;
  /** Milliseconds. */
  at: number;
}

export type ChangeKind = 'user' | 'token' | 'channel' | 'option' | 'lease' | 'cancelled_response' | 'watch' | 'passed_test';
