// Budgets: what may be spent in a period. Those of a token or a user are stored in its record; those of groups, models and the whole site in the
// setting `SiteBudgets`. A call is reserved on all of them, as on the balance.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { countedBy, LimitedGroups, LimitedModels } from '#shared/limit-models.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryText } from '#shared/query-values.ts';
import { limitScopes } from '#shared/rate-limits.ts';
import { ruleCheck } from '#shared/rule-check.ts';

/** Quota. */
const largest = Number.MAX_SAFE_INTEGER;
/** `once`: one period without an end. */
export const budgetPeriods = ['five_hours', 'day', 'week', 'month', 'once'] as const;
export type BudgetPeriodName = (typeof budgetPeriods)[number];
/**
 * `stop`: further calls are refused, and what is reserved never exceeds the budget. `warn`: calls continue. `cheaper`: calls of the models in
 * `cheaper_models` continue with the model named there, others are refused.
 */
export const budgetEnds = ['stop', 'warn', 'cheaper'] as const;
/** Budgets of one record. */
export const mostBudgets = 10;
/** Percent used at which the owner is notified, unless a budget names others. */
export const usualNotes: readonly number[] = [50, 80, 100];

const ModelName = z.string().check(z.minLength(1), z.maxLength(200));
const budgetFields = {
  /** Identity among the budgets of its record: an edit with the same id counts on from what was used. */
  id: z.string().check(z.regex(/^[a-z0-9]{1,16}$/)),
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(40))),
  /** Quota of one period. */
  amount: z.int().check(z.minimum(1), z.maximum(largest)),
  period: z.enum(budgetPeriods),
  /**
   * `calendar`: days from midnight, weeks from Monday, months from the first, in `time_zone`. `first_call`: a period begins with the first call after the
   * former one has ended; five hours always do. Ignored for `once`.
   */
  starts: z.enum(['calendar', 'first_call']),
  /** IANA name, for `calendar`. Absent: UTC. */
  time_zone: z.optional(z.string().check(z.minLength(1), z.maxLength(64), z.refine(isTimeZone, ruleCheck('timeZone')))),
  at_end: z.enum(budgetEnds),
  /** Model → the one that takes its place. */
  cheaper_models: z.optional(z.record(ModelName, ModelName).check(z.refine(isCheaperMap, ruleCheck('cheaperModels')))),
  models: z.optional(LimitedModels),
  /** Percent used at which the owner is notified; absent: `usualNotes`. */
  notes: z.optional(z.array(z.int().check(z.minimum(1), z.maximum(100))).check(z.maxLength(5))),
};

export const Budget = z.strictObject(budgetFields).check(z.refine(hasItsModels, ruleCheck('cheaperModels')));
export type Budget = z.infer<typeof Budget>;
export const Budgets = z.array(Budget).check(z.maxLength(mostBudgets), z.refine(areDistinct, ruleCheck('limitTwice')));

export const SiteBudget = z
  .strictObject({ ...budgetFields, groups: z.optional(LimitedGroups), counted: z.enum(countedBy) })
  .check(z.refine(hasItsModels, ruleCheck('cheaperModels')));
export type SiteBudget = z.infer<typeof SiteBudget>;
export const SiteBudgets = z.array(SiteBudget).check(z.maxLength(50), z.refine(areDistinct, ruleCheck('limitTwice')));

function areDistinct(budgets: readonly { id: string }[]): boolean {
  return new Set(budgets.map(({ id }) => id)).size === budgets.length;
}

/** A model that takes another's place has none of its own. */
function isCheaperMap(models: Readonly<Record<string, string>>): boolean {
  const entries = Object.values(models);
  return entries.length > 0 && entries.length <= 50 && !entries.some((to) => Object.hasOwn(models, to));
}

function hasItsModels({ at_end: end, cheaper_models: models }: { at_end: string; cheaper_models?: unknown }): boolean {
  return (end === 'cheaper') === (models !== undefined);
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

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
  /** Of a token, of a user, or of the caller. Only administrators read those of others. */
  state: endpoint('GET', '/api/budget/', {
    access: 'user',
    query: z.object({ token_id: QueryText, user_id: QueryText }),
    reply: z.array(BudgetState),
    summary: 'Budgets that bind a token or a user, and what is left of them',
  }),
  /** Newest first. */
  periods: endpoint('GET', '/api/budget/periods', {
    access: 'user',
    query: z.extend(PageQuery, { key: Key }),
    reply: pageOf(BudgetPeriod),
    summary: 'Periods of a budget until now',
  }),
  /** `ref` names the change, so that sending it again after a lost response does not make it twice. */
  raise: endpoint('POST', '/api/budget/raise', {
    access: 'user',
    audit: { kind: 'budget', action: 'raised', by: 'call', object: 'key' },
    body: z.object({ key: Key, amount: z.int().check(z.minimum(1), z.maximum(largest)), ref: Ref }),
    reply: BudgetState,
    summary: 'Add to a budget until its period ends',
  }),
  reset: endpoint('POST', '/api/budget/reset', {
    access: 'user',
    audit: { kind: 'budget', action: 'reset', by: 'call', object: 'key' },
    body: z.object({ key: Key, ref: Ref }),
    reply: BudgetState,
    summary: 'End the period of a budget now',
  }),
};
