// The form of a member or a team: what it holds and what it sends.
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import type { AccessPolicy } from '#shared/access-policy.ts';
import type { Member, Team } from '#shared/organisations.ts';
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

export interface LimitValues {
  budgets: BudgetDraft[];
  rate_limits: RateDraft[];
}

export function limitValues({ budgets, rate_limits: rates }: Pick<Member, 'budgets' | 'rate_limits'>): LimitValues {
  return { budgets: budgetDrafts(budgets), rate_limits: rateDrafts(rates) };
}

/** Fields of the limits that the form changed, as they are sent. */
export function limitBody(values: LimitValues, base: Pick<Member, 'budgets' | 'rate_limits'>) {
  return {
    ...(changesBudgets(values.budgets, base.budgets) ? { budgets: budgetsOf(values.budgets) } : {}),
    ...(changesRates(values.rate_limits, base.rate_limits) ? { rate_limits: ratesOf(values.rate_limits) } : {}),
  };
}

/** Fields with a problem. */
export function limitProblems(values: LimitValues): ('budgets' | 'rate_limits')[] {
  return [
    ...(areBudgetsRight(values.budgets) ? [] : ['budgets' as const]),
    ...(areRatesRight(values.rate_limits) ? [] : ['rate_limits' as const]),
  ];
}

export interface MemberValues extends LimitValues {
  role: OrganisationRole;
  team_id: number;
}

/** A member as panels of records hold it. */
export type MemberRecord = Member & { id: number; name: string };

export function memberRecord(member: Member): MemberRecord {
  return { ...member, id: member.user_id, name: member.display_name === '' ? member.username : member.display_name };
}

export function memberValues(member: Member): MemberValues {
  return { role: member.role, team_id: member.team_id, ...limitValues(member) };
}

export function memberBody(values: MemberValues, base: MemberRecord, revision: number) {
  return {
    id: base.user_id,
    ...(values.role === base.role ? {} : { role: values.role }),
    ...(values.team_id === base.team_id ? {} : { team_id: values.team_id }),
    ...limitBody(values, base),
    revision,
  };
}

export interface PolicyValues {
  models: string[];
  groups: string[];
  addresses: string[];
  stores_nothing: boolean;
}

export function policyValues({ models = [], groups = [], addresses = [], stores_nothing: nothing = false }: AccessPolicy): PolicyValues {
  return { models: [...models], groups: [...groups], addresses: [...addresses], stores_nothing: nothing };
}

/** Empty lists restrict nothing. */
export function policyOf({ models, groups, addresses, stores_nothing: nothing }: PolicyValues): AccessPolicy {
  return {
    ...(models.length === 0 ? {} : { models }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(nothing ? { stores_nothing: true } : {}),
  };
}

export function changesPolicy(values: PolicyValues, before: AccessPolicy): boolean {
  return JSON.stringify(policyOf(values)) !== JSON.stringify(policyOf(policyValues(before)));
}

export interface TeamValues extends LimitValues {
  name: string;
  policy: PolicyValues;
}

export function teamValues(team: Pick<Team, 'name' | 'policy' | 'budgets' | 'rate_limits'>): TeamValues {
  return { name: team.name, policy: policyValues(team.policy), ...limitValues(team) };
}

export function teamBody(values: TeamValues, base: Team, revision: number) {
  return {
    id: base.id,
    revision,
    ...(values.name.trim() === base.name ? {} : { name: values.name.trim() }),
    ...(changesPolicy(values.policy, base.policy) ? { policy: policyOf(values.policy) } : {}),
    ...limitBody(values, base),
  };
}
