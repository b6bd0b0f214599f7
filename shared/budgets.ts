// Budgets: what may be spent in a period. Those of a token or a user are stored in its record; those of groups, models and the whole site in the
// setting `SiteBudgets`. A call is reserved on all of them, as on the balance.
import { z } from 'zod/mini';
import { countedBy, isShortList, LimitedGroups, LimitedModels } from '#shared/limit-models.ts';
import { ruleCheck } from '#shared/rule-check.ts';

/** Quota. */
export const largestBudget = Number.MAX_SAFE_INTEGER;
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
  amount: z.int().check(z.minimum(1), z.maximum(largestBudget)),
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
export const Budgets = z
  .array(Budget)
  .check(z.maxLength(mostBudgets), z.refine(areDistinct, ruleCheck('limitTwice')), z.refine(isShortList, ruleCheck('listTooLong')));

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
