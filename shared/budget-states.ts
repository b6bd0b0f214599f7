// Calls about budgets: what is left of them, their periods, and how they are raised and reset. Apart from the records (`budgets.ts`), which the sign-in
// loads with the user.
import { z } from 'zod/mini';
import { Budget, largestBudget, SiteBudget } from '#shared/budgets.ts';
import { endpoint } from '#shared/contract.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryText } from '#shared/query-values.ts';
import { limitScopes } from '#shared/rate-limits.ts';

/** A budget that binds the caller, in its current period. */
export const BudgetState = z.object({
  /** Names the budget and whose spending it counts, for the calls below. */
  key: z.string(),
  scope: z.enum(limitScopes),
  budget: z.union([Budget, SiteBudget]),
  /** Quota of this period, with what was added to it. */
  amount: z.int(),
  /** Quota left, reserved calls included in what is left; below 0 after the end of a budget that lets calls continue. */
  left: z.int(),
  used: z.int(),
  /** Calls that were charged, and calls that were refused. */
  calls: z.int(),
  refused: z.int(),
  /** Unix seconds; both 0 if no period has begun. `ends_at` is 0 for `once`. */
  starts_at: z.int(),
  ends_at: z.int(),
  /** Whether the reader may raise and reset it. */
  is_editable: z.boolean(),
});
export type BudgetState = z.infer<typeof BudgetState>;

export const BudgetPeriod = z.object({
  id: z.int(),
  starts_at: z.int(),
  ends_at: z.int(),
  amount: z.int(),
  used: z.int(),
  calls: z.int(),
  refused: z.int(),
});
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

const Key = z.string().check(z.minLength(1), z.maxLength(200));
const Ref = z.string().check(z.regex(/^[\w-]{8,64}$/));

export const budgetApi = {
  /** Of a token, of a user, or of the caller; on behalf of an organisation of a member (user id) or a team. Only administrators read those of others; in an
   * organisation, members with the right to its usage. */
  state: endpoint('GET', '/api/budget/', {
    access: 'user',
    organisation: 'member',
    query: z.object({ token_id: QueryText, user_id: QueryText, member_id: QueryText, team_id: QueryText }),
    reply: z.array(BudgetState),
    summary: 'Budgets that bind a token or a user, and what is left of them',
  }),
  /** Newest first. */
  periods: endpoint('GET', '/api/budget/periods', {
    access: 'user',
    organisation: 'member',
    query: z.extend(PageQuery, { key: Key }),
    reply: pageOf(BudgetPeriod),
    summary: 'Periods of a budget until now',
  }),
  /** `ref` names the change, so that sending it again after a lost response does not make it twice. */
  raise: endpoint('POST', '/api/budget/raise', {
    access: 'user',
    organisation: 'manage',
    audit: { kind: 'budget', action: 'raised', by: 'call', object: 'key' },
    body: z.object({ key: Key, amount: z.int().check(z.minimum(1), z.maximum(largestBudget)), ref: Ref }),
    reply: BudgetState,
    summary: 'Add to a budget until its period ends',
  }),
  reset: endpoint('POST', '/api/budget/reset', {
    access: 'user',
    organisation: 'manage',
    audit: { kind: 'budget', action: 'reset', by: 'call', object: 'key' },
    body: z.object({ key: Key, ref: Ref }),
    reply: BudgetState,
    summary: 'End the period of a budget now',
  }),
};
