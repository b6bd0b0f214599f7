import type { MoneyFields } from './money-fields.ts';

/** Period of a budget for one subject, e.g. a month of a token: an account of the ledger, from which its calls are reserved. */
export interface BudgetPeriodRecord extends MoneyFields {
  id: number;
  /** Budget and subject: `token:7:b1`, `user:3:b1`, `site:b2:user:3`. `server/budgets/bound-budgets.ts` */
  key: string;
  /** Number among the periods of the key, from 1: of two processes that open the next one, one succeeds. */
  number: number;
  /** User and token whose calls it counts; 0 for a budget of several. */
  user_id: number;
  token_id: number;
  /** Length, beginning and time zone of the budget: a period whose budget has others is closed. */
  terms: string;
  /** Unix seconds; `ends_at` is 0 for a period without an end. */
  starts_at: number;
  ends_at: number;
  /** Unix seconds at which it ended early, because the budget was reset, changed or removed. */
  closed_at?: number;
  /** Key and reference of the reset that closed it, `token:7:b1 reference`: a unique index makes each reset once. */
  reset_as?: string;
  /** Quota at its beginning, which is its first credit; later ones are ledger entries. */
  opened: number;
  /** Amount of the budget that the period includes, and the number of edits that changed it. */
  base: number;
  revision: number;
  /** Quota outside all leases; below 0 after the end of a budget that lets calls continue. */
  quota: number;
  used_quota: number;
  calls: number;
  /** Calls refused at its end. */
  refused: number;
  /** Highest percentage of use that was reported. */
  noted?: number;
  /** Until it has ended and no process can have a lease on it. */
  active?: 1;
}
