/**
 * Sums of calls whose rows of the log are deleted, by all dimensions and by period of a month (`server/money/closed-periods.ts`);
 * one further record per period, of user 0, for all users. See `server/money/log-closing.ts`.
 */
export interface ClosedUsageRecord {
  /** Period and a digest of the fields below. */
  id: string;
  /** Start of the period, unix seconds. */
  start: number;
  /** 0 for all users. */
  user_id: number;
  token_id: number;
  token_name: string;
  model_name: string;
  channel_id: number;
  group: string;
  /** Only on sums of calls that were imported from another gateway. */
  imported?: 1;
  calls: number;
  /** Quota that was charged; of imported calls, their cost at the other gateway. */
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Number of the last batch of deletions that is included. */
  batch: number;
}
