// Limits of a token in a form: those that an owner sets, and those that an administrator sets for a user's token.
import { allowedAddresses, isAddressRange } from '#shared/allowed-addresses.ts';
import { commaList } from '#shared/comma-list.ts';
import type { Token } from '#shared/tokens.ts';
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

export interface TokenLimits {
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
}

type LimitedToken = Pick<Token, keyof TokenLimits>;

export const never = -1;

export function limitsOf(token: LimitedToken): TokenLimits {
  return {
    remain_quota: token.remain_quota,
    unlimited_quota: token.unlimited_quota,
    expired_time: token.expired_time,
    model_limits_enabled: token.model_limits_enabled,
    model_limits: commaList(token.model_limits),
    allow_ips: token.allow_ips,
    rate_limits: rateDrafts(token.rate_limits),
    budgets: budgetDrafts(token.budgets),
  };
}

export type LimitProblem = 'quota_required' | 'quota_negative' | 'expiry_past' | 'models_required' | 'limits' | 'ips';

/** Problems by field. `now` is in unix seconds; a token that is overdrawn or has expired may stay so. */
export function limitProblems(
  values: TokenLimits,
  { now, before }: { now: number; before?: LimitedToken | undefined },
): Partial<Record<keyof TokenLimits, LimitProblem>> {
  const problems: Partial<Record<keyof TokenLimits, LimitProblem>> = {};
  const { remain_quota: quota, expired_time: expiry } = values;
  if (!values.unlimited_quota && quota === '') problems.remain_quota = 'quota_required';
  else if (quota !== '' && quota < 0 && quota !== before?.remain_quota) problems.remain_quota = 'quota_negative';
  if (expiry !== never && expiry <= now && expiry !== before?.expired_time) problems.expired_time = 'expiry_past';
  if (values.model_limits_enabled && values.model_limits.length === 0) problems.model_limits = 'models_required';
  if (!allowedAddresses(values.allow_ips).every(isAddressRange)) problems.allow_ips = 'ips';
  if (!areRatesRight(values.rate_limits)) problems.rate_limits = 'limits';
  if (!areBudgetsRight(values.budgets)) problems.budgets = 'limits';
  return problems;
}

/** Limits that differ from those of the token, except for the balance: it is sent with the usage that it is based on. */
export function limitEdits(values: TokenLimits, before: LimitedToken) {
  const models = values.model_limits.join(',');
  const ips = tidyAddresses(values.allow_ips);
  return {
    ...(values.unlimited_quota === before.unlimited_quota ? {} : { unlimited_quota: values.unlimited_quota }),
    ...(values.expired_time === before.expired_time ? {} : { expired_time: values.expired_time }),
    ...(values.model_limits_enabled === before.model_limits_enabled ? {} : { model_limits_enabled: values.model_limits_enabled }),
    ...(models === commaList(before.model_limits).join(',') ? {} : { model_limits: models }),
    ...(ips === tidyAddresses(before.allow_ips) ? {} : { allow_ips: ips }),
    ...(changesRates(values.rate_limits, before.rate_limits) ? { rate_limits: ratesOf(values.rate_limits) } : {}),
    ...(changesBudgets(values.budgets, before.budgets) ? { budgets: budgetsOf(values.budgets) } : {}),
  };
}

export function tidyAddresses(text: string): string {
  return allowedAddresses(text).join('\n');
}

/** Reports whether others have changed a limit. Calls move the balance together with the used quota, which is no change. */
export function isLimitChanged(field: 'remain_quota' | 'rate_limits' | 'budgets', before: ComparedToken, now: ComparedToken): boolean {
  if (field === 'rate_limits') return changesRates(rateDrafts(before.rate_limits), now.rate_limits);
  if (field === 'budgets') return changesBudgets(budgetDrafts(before.budgets), now.budgets);
  return !now.unlimited_quota && before.remain_quota + before.used_quota !== now.remain_quota + now.used_quota;
}

type ComparedToken = LimitedToken & Pick<Token, 'used_quota'>;
