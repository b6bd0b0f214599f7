// What the editor of a user holds and what it sends.
import {
  type DisplayNameProblem,
  displayNameProblem,
  type PasswordProblem,
  passwordProblem,
  type UsernameProblem,
  usernameProblem,
} from '#shared/account-rules.ts';
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
import { quotaLimit, type User } from '#shared/user.ts';
import type { UserCreateInput, UserEdit } from '#shared/users.ts';

/** `set`: the balance is to be this much. `change`: so much more or less. */
export type BalanceMode = 'keep' | 'set' | 'change';

export interface UserValues {
  username: string;
  display_name: string;
  group: string;
  password: string;
  mode: BalanceMode;
  /** Quota units; what it means depends on the mode. */
  amount: number | '';
  /** Why; goes with an amount only. */
  reason: string;
  rate_limits: RateDraft[];
  budgets: BudgetDraft[];
}

export type UserProblem =
  | UsernameProblem
  | DisplayNameProblem
  | PasswordProblem
  | 'amount_required'
  | 'amount_negative'
  | 'amount_large'
  | 'limits'
  | 'reason_characters';

export function valuesOf(user: User): UserValues {
  return {
    username: user.username,
    display_name: user.display_name,
    group: user.group,
    password: '',
    mode: 'keep',
    amount: '',
    reason: '',
    rate_limits: rateDrafts(user.rate_limits),
    budgets: budgetDrafts(user.budgets),
  };
}

/** What is wrong, by field. Names that are not changed are not judged: those from elsewhere may be longer than ours. */
export function userProblems(values: UserValues, base: User): Partial<Record<keyof UserValues, UserProblem>> {
  const username = values.username === base.username ? undefined : usernameProblem(values.username);
  const displayName = values.display_name === base.display_name ? undefined : displayNameProblem(values.display_name);
  const password = values.password === '' ? undefined : passwordProblem(values.password);
  const problems: Partial<Record<keyof UserValues, UserProblem>> = accountProblems(username, displayName, password);
  if (!areRatesRight(values.rate_limits)) problems.rate_limits = 'limits';
  if (!areBudgetsRight(values.budgets)) problems.budgets = 'limits';
  if (values.mode !== 'keep') {
    const after = balanceAfter(values, base.quota);
    if (values.amount === '') problems.amount = 'amount_required';
    else if (after < 0 && (values.mode === 'set' || values.amount < 0)) problems.amount = 'amount_negative';
    else if (after > quotaLimit) problems.amount = 'amount_large';
    if (/\p{Cc}/u.test(values.reason.trim())) problems.reason = 'reason_characters';
  }
  return problems;
}

export const usualGroup = 'default';

export interface NewUserValues {
  username: string;
  display_name: string;
  password: string;
  group: string;
  /** Quota units; empty: none. */
  quota: number | '';
}

/** What a new account lacks. */
export function newUserProblems(values: NewUserValues): Partial<Record<keyof NewUserValues, UserProblem>> {
  return {
    ...accountProblems(usernameProblem(values.username), displayNameProblem(values.display_name), passwordProblem(values.password)),
    ...(values.quota !== '' && values.quota > quotaLimit ? { quota: 'amount_large' as const } : {}),
  };
}

/** The usual group goes without saying. */
export function newUserBody({ quota, group, ...values }: NewUserValues): UserCreateInput {
  const names = { username: values.username.trim(), display_name: values.display_name.trim() };
  return { ...values, ...names, ...(group === usualGroup ? {} : { group }), ...(quota === '' ? {} : { quota }) };
}

function accountProblems(
  username: UsernameProblem | undefined,
  displayName: DisplayNameProblem | undefined,
  password: PasswordProblem | undefined,
): Partial<Record<'username' | 'password' | 'display_name', UserProblem>> {
  return {
    ...(username === undefined ? {} : { username }),
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(password === undefined ? {} : { password }),
  };
}

/** The balance as it would be if nothing were spent meanwhile. */
export function balanceAfter({ mode, amount }: Pick<UserValues, 'mode' | 'amount'>, quota: number): number {
  if (mode === 'keep' || amount === '') return quota;
  return mode === 'set' ? amount : quota + amount;
}

/**
 * What was changed, and nothing else. A balance that is set goes with the use it was read with, so that what running calls
 * spend meanwhile is neither lost nor given back.
 * @param quotaRef the same as long as it is not known whether the change was made
 */
export function editBody(base: User, values: UserValues, { revision, quotaRef }: { revision: number; quotaRef: string }): UserEdit {
  const body: UserEdit = { id: base.id, revision };
  if (values.username.trim() !== base.username) body.username = values.username.trim();
  if (values.display_name.trim() !== base.display_name) body.display_name = values.display_name.trim();
  if (values.group !== base.group) body.group = values.group;
  if (values.password !== '') body.password = values.password;
  if (changesRates(values.rate_limits, base.rate_limits)) body.rate_limits = ratesOf(values.rate_limits);
  if (changesBudgets(values.budgets, base.budgets)) body.budgets = budgetsOf(values.budgets);
  if (values.mode === 'set' && values.amount !== '' && values.amount !== base.quota) {
    body.quota = values.amount;
    body.used_quota = base.used_quota;
  }
  if (values.mode === 'change' && values.amount !== '' && values.amount !== 0) {
    body.quota_change = values.amount;
    body.quota_ref = quotaRef;
  }
  const isMoved = body.quota !== undefined || body.quota_change !== undefined;
  if (isMoved && values.reason.trim() !== '') body.quota_reason = values.reason.trim();
  return body;
}

/** How many things an edit would change. */
export function changeCount(base: User, values: UserValues): number {
  const changed = Object.keys(editBody(base, values, { revision: base.revision, quotaRef: '' })).filter(
    (field) => !['id', 'revision', 'used_quota', 'quota_ref', 'quota_reason'].includes(field),
  );
  return changed.length;
}
