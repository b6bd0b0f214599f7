// What the form of a user's token holds, what is wrong with it, and what it sends: only what was changed.
import { allowedAddresses, isAddressRange } from '#shared/allowed-addresses.ts';
import { commaList } from '#shared/comma-list.ts';
import { type HeldLimit, heldLimits } from '#shared/tokens.ts';
import {
  areBudgetsRight,
  areRatesRight,
  type BudgetDraft,
  budgetDrafts,
  budgetsOf,
  changesBudgets,
  changesRates,
  type RateDraft,
  rateDrafts,
  ratesOf,
} from '#pwa/records/limits/limit-drafts.ts';
import type { UserToken, UserTokenEdit } from '#shared/user-tokens.ts';

export interface LimitValues {
  /** Quota units; '' : nothing entered. */
  remain_quota: number | '';
  unlimited_quota: boolean;
  /** Unix seconds, -1: never. */
  expired_time: number;
  model_limits_enabled: boolean;
  model_limits: string[];
  allow_ips: string;
  rate_limits: RateDraft[];
  budgets: BudgetDraft[];
  held: HeldLimit[];
}

export const never = -1;

export function limitsOf(token: UserToken): LimitValues {
  return {
    remain_quota: token.remain_quota,
    unlimited_quota: token.unlimited_quota,
    expired_time: token.expired_time,
    model_limits_enabled: token.model_limits_enabled,
    model_limits: commaList(token.model_limits),
    allow_ips: token.allow_ips,
    rate_limits: rateDrafts(token.rate_limits),
    budgets: budgetDrafts(token.budgets),
    held: [...(token.held ?? [])],
  };
}

export type LimitProblem = 'quota_required' | 'quota_negative' | 'expiry_past' | 'models_required' | 'limits' | 'ips';

/** @param now unix seconds */
export function limitProblems(values: LimitValues, now: number, before: UserToken): Partial<Record<keyof LimitValues, LimitProblem>> {
  const problems: Partial<Record<keyof LimitValues, LimitProblem>> = {};
  const { remain_quota: quota, expired_time: expiry } = values;
  if (!values.unlimited_quota && quota === '') problems.remain_quota = 'quota_required';
  else if (quota !== '' && quota < 0 && quota !== before.remain_quota) problems.remain_quota = 'quota_negative';
  if (expiry !== never && expiry <= now && expiry !== before.expired_time) problems.expired_time = 'expiry_past';
  if (values.model_limits_enabled && values.model_limits.length === 0) problems.model_limits = 'models_required';
  if (!allowedAddresses(values.allow_ips).every(isAddressRange)) problems.allow_ips = 'ips';
  if (!areRatesRight(values.rate_limits)) problems.rate_limits = 'limits';
  if (!areBudgetsRight(values.budgets)) problems.budgets = 'limits';
  return problems;
}

/** The charged quota accompanies a new balance: together they identify the intended edit, however much calls have used since. */
export function limitBody(values: LimitValues, before: UserToken, revision: number): UserTokenEdit & { id: number; revision: number } {
  const models = values.model_limits.join(',');
  const ips = allowedAddresses(values.allow_ips).join('\n');
  const held = heldLimits.filter((limit) => values.held.includes(limit));
  const { remain_quota: quota } = values;
  return {
    id: before.id,
    ...(values.unlimited_quota === before.unlimited_quota ? {} : { unlimited_quota: values.unlimited_quota }),
    ...(values.expired_time === before.expired_time ? {} : { expired_time: values.expired_time }),
    ...(values.model_limits_enabled === before.model_limits_enabled ? {} : { model_limits_enabled: values.model_limits_enabled }),
    ...(models === commaList(before.model_limits).join(',') ? {} : { model_limits: models }),
    ...(ips === allowedAddresses(before.allow_ips).join('\n') ? {} : { allow_ips: ips }),
    ...(quota === '' || quota === before.remain_quota ? {} : { remain_quota: quota, charged_quota: before.charged_quota ?? 0 }),
    ...(changesRates(values.rate_limits, before.rate_limits) ? { rate_limits: ratesOf(values.rate_limits) } : {}),
    ...(changesBudgets(values.budgets, before.budgets) ? { budgets: budgetsOf(values.budgets) } : {}),
    ...(held.join(',') === (before.held ?? []).join(',') ? {} : { held }),
    revision,
  };
}

const compared = [
  'status',
  'remain_quota',
  'unlimited_quota',
  'expired_time',
  'model_limits_enabled',
  'model_limits',
  'allow_ips',
  'rate_limits',
  'budgets',
  'held',
] as const;
export type ComparedLimit = (typeof compared)[number];

/** Changes that others made while the form was open; a balance that only calls have moved is none. */
export function limitChanges(before: UserToken, now: UserToken): ComparedLimit[] {
  return compared.filter((field) => {
    if (field === 'remain_quota')
      return !now.unlimited_quota && before.remain_quota + before.used_quota !== now.remain_quota + now.used_quota;
    if (field === 'rate_limits') return changesRates(rateDrafts(before.rate_limits), now.rate_limits);
    if (field === 'budgets') return changesBudgets(budgetDrafts(before.budgets), now.budgets);
    if (field === 'held') return (before.held ?? []).join(',') !== (now.held ?? []).join(',');
    return before[field] !== now[field];
  });
}
