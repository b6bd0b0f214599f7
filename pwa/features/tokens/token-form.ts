// What the token form holds, what is wrong with it, and what it sends: on an edit only what was changed.
import { commaList } from '#shared/comma-list.ts';
import { type Token, type TokenCreate, type TokenEdit, tokenBatchLimit, tokenNameProblem } from '#shared/tokens.ts';
import { budgetsOf, ratesOf } from '#pwa/records/limits/limit-drafts.ts';
import {
  isLimitChanged,
  limitEdits,
  type LimitProblem,
  limitProblems,
  limitsOf,
  never,
  tidyAddresses,
  type TokenLimits,
} from '#pwa/records/tokens/token-limits.ts';

export interface TokenValues extends TokenLimits {
  name: string;
  /** Empty: the owner's own group. */
  group: string;
  /** Of group `auto`; empty: those of the site. */
  auto_groups: string[];
  cross_group_retry: boolean;
  /** Quota units that one session may cost; '' : no bound. */
  session_budget: number | '';
  count: number | '';
  /** In an organisation, of a new token: of a service account. */
  is_service: boolean;
  /** Its team; 0: none. */
  team_id: number;
}

/** One dollar with the default units per dollar. */
const defaultQuota = 500_000;

export const emptyToken: TokenValues = {
  name: '',
  group: '',
  auto_groups: [],
  cross_group_retry: false,
  remain_quota: defaultQuota,
  unlimited_quota: false,
  expired_time: never,
  model_limits_enabled: false,
  model_limits: [],
  allow_ips: '',
  session_budget: '',
  rate_limits: [],
  budgets: [],
  count: 1,
  is_service: false,
  team_id: 0,
};

export function valuesOf(token: Token): TokenValues {
  return {
    name: token.name,
    group: token.group,
    auto_groups: commaList(token.auto_groups ?? ''),
    cross_group_retry: token.cross_group_retry ?? false,
    ...limitsOf(token),
    session_budget: budgetOf(token),
    count: 1,
    is_service: token.member_id === 0,
    team_id: token.team_id ?? 0,
  };
}

export type TokenProblem = LimitProblem | 'name_required' | 'name_long' | 'budget_negative' | 'count_required' | 'count_range';

/** What is wrong, by field. `now` is in unix seconds; an expiry that was there before may lie in the past. */
export function tokenProblems(
  values: TokenValues,
  { now, before }: { now: number; before?: Token | undefined },
): Partial<Record<keyof TokenValues, TokenProblem>> {
  const problems: Partial<Record<keyof TokenValues, TokenProblem>> = limitProblems(values, { now, before });
  const name = tokenNameProblem(values.name);
  if (name !== undefined) problems.name = name;
  if (values.session_budget !== '' && values.session_budget < 0) problems.session_budget = 'budget_negative';
  if (before === undefined && values.count === '') problems.count = 'count_required';
  else if (before === undefined && values.count !== '' && (values.count < 1 || values.count > tokenBatchLimit))
    problems.count = 'count_range';
  return problems;
}

export function createBody(values: TokenValues): TokenCreate {
  return {
    name: values.name.trim(),
    group: values.group,
    remain_quota: values.remain_quota === '' ? 0 : values.remain_quota,
    unlimited_quota: values.unlimited_quota,
    expired_time: values.expired_time,
    model_limits_enabled: values.model_limits_enabled,
    model_limits: values.model_limits.join(','),
    allow_ips: tidyAddresses(values.allow_ips),
    ...(values.auto_groups.length === 0 ? {} : { auto_groups: values.auto_groups.join(',') }),
    ...(values.cross_group_retry ? { cross_group_retry: true } : {}),
    ...(values.session_budget === '' ? {} : { session_budget: values.session_budget }),
    ...(values.rate_limits.length === 0 ? {} : { rate_limits: ratesOf(values.rate_limits) }),
    ...(values.budgets.length === 0 ? {} : { budgets: budgetsOf(values.budgets) }),
    ...(values.is_service ? { is_service: true, team_id: values.team_id } : {}),
    ...(values.count === '' || values.count === 1 ? {} : { count: values.count }),
  };
}

/**
 * Changes against the record that the form was opened with. The used quota accompanies a new balance: together they identify the intended
 * edit, however much calls have used since. `revision`: the state that the changes are based on.
 */
export function editBody(values: TokenValues, before: Token, revision: number = before.revision): TokenEdit {
  const groups = values.auto_groups.join(',');
  const name = values.name.trim();
  const { remain_quota: quota } = values;
  return {
    id: before.id,
    ...(name === before.name ? {} : { name }),
    ...(values.group === before.group ? {} : { group: values.group }),
    ...(groups === (before.auto_groups ?? '') ? {} : { auto_groups: groups }),
    ...(values.cross_group_retry === (before.cross_group_retry ?? false) ? {} : { cross_group_retry: values.cross_group_retry }),
    ...limitEdits(values, before),
    ...(values.session_budget === budgetOf(before) ? {} : { session_budget: values.session_budget === '' ? 0 : values.session_budget }),
    ...(quota === '' || quota === before.remain_quota
      ? {}
      : { remain_quota: quota, used_quota: before.used_quota, charged_quota: before.charged_quota }),
    revision,
  };
}

const comparedFields = [
  'name',
  'group',
  'auto_groups',
  'cross_group_retry',
  'remain_quota',
  'unlimited_quota',
  'expired_time',
  'model_limits_enabled',
  'model_limits',
  'allow_ips',
  'session_budget',
  'rate_limits',
  'budgets',
  'status',
] as const;
export type ComparedField = (typeof comparedFields)[number];

/**
 * Changes that others made while the form was open. A balance that only calls have moved is no change: the sum of remaining and used quota
 * shows that.
 */
export function changesBetween(before: Token, now: Token): ComparedField[] {
  return comparedFields.filter((field) => {
    if (field === 'remain_quota' || field === 'rate_limits' || field === 'budgets') return isLimitChanged(field, before, now);
    if (field === 'session_budget') return budgetOf(before) !== budgetOf(now);
    return (before[field] ?? unset[field]) !== (now[field] ?? unset[field]);
  });
}

/** What fields are that servers of earlier versions lack. */
const unset: Partial<Record<ComparedField, string | boolean>> = { auto_groups: '', cross_group_retry: false };

/** 0 is no bound, and nothing in the field. */
function budgetOf({ session_budget: budget = 0 }: Token): number | '' {
  return budget === 0 ? '' : budget;
}
