// Budgets in the console.
import { type BudgetState, budgetApi } from '#shared/budget-states.ts';
import { commaList } from '#shared/comma-list.ts';
import { AppError } from '#shared/errors.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import { Role } from '#shared/roles.ts';
import type { HeldLimit } from '#shared/tokens.ts';
import { boundsOf, isBound } from '#server/accounts/member-bounds.ts';
import { limitedAccount, readableUser } from '#server/accounts/limited-account.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { checkReading } from '#server/features/tokens/organisation-tokens.ts';
import { type Caller, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { pageBounds } from '#server/http/paging.ts';
import { balanceOf } from '#server/money/account.ts';
import { type BoundBudget, boundBudgets, isOfMember, readKey } from '#server/budgets/bound-budgets.ts';
import { readState } from '#server/budgets/budget-state.ts';
import { boundBudget, raiseBudget, resetBudget } from './change-budget-period.ts';

export function mountBudgets(host: RouteHost): void {
  mount(host, budgetApi.state, async (call) => {
    const { context, query } = call;
    const caller = signedIn(call);
    const actor = caller.user;
    const { token, user, standing } = await limitedAccount(context, actor, query);
    if (user.id === actor.id) checkReading(caller, { token, member: standing?.member });
    const group = token === null || token.group === '' ? user.group : token.group;
    const bounds = boundBudgets({ token, user, group, standing }, context.settings.get('SiteBudgets'));
    const states: BudgetState[] = [];
    // A developer reads what is left of the own part: the team and the organisation spend together.
    const readsAll = caller.membership == null || mayInOrganisation(caller.membership.member.role, 'usage');
    for (const bound of bounds)
      if (mayRead(actor, bound) && (readsAll || isOfMember(bound))) states.push(await present(context, caller, bound));
    return states;
  });

  mount(host, budgetApi.periods, async (call) => {
    const { context, query } = call;
    const bound = await readable(context, signedIn(call), query.key);
    const { page, size, skip } = pageBounds(query);
    const periods = context.db.collection('budget_periods');
    const found = await periods.find({ key: bound.key }, { sort: [['number', -1]], skip, limit: size });
    const items = found.map((period) => {
      const { id, starts_at, ends_at, closed_at, used_quota: used, calls, refused } = period;
      return { id, starts_at, ends_at: closed_at ?? ends_at, amount: used + balanceOf(period), used, calls, refused };
    });
    return { items, total: await periods.count({ key: bound.key }), page, page_size: size };
  });

  mount(host, budgetApi.raise, async (call) => {
    const { context, body } = call;
    const caller = signedIn(call);
    const bound = await editable(context, caller, body.key);
    await raiseBudget(context, bound, { amount: body.amount, ref: body.ref, actorId: caller.user.id });
    return present(context, caller, bound);
  });

  mount(host, budgetApi.reset, async (call) => {
    const { context, body } = call;
    const caller = signedIn(call);
    const bound = await editable(context, caller, body.key);
    await resetBudget(context, bound, body.ref);
    return present(context, caller, bound);
  });
}

async function present(context: AppContext, caller: Caller, bound: BoundBudget): Promise<BudgetState> {
  return { ...(await readState(context, bound)), is_editable: await mayEdit(context, caller, bound) };
}

/** What all callers together spend is for administrators. */
function mayRead({ role }: UserRecord, { userId }: BoundBudget): boolean {
  return userId !== 0 || role >= Role.admin;
}

/** @throws {AppError} `not_found`, `user_read_denied` */
async function readable(context: AppContext, caller: Caller, key: string): Promise<BoundBudget> {
  const actor = caller.user;
  const bound = await boundBudget(context, key);
  if (!mayRead(actor, bound)) throw new AppError('not_found');
  if (bound.userId !== 0) await readableUser(context.db, actor, bound.userId);
  if (bound.userId === actor.id) await checkReadingOf(context, caller, bound);
  return bound;
}

/** @throws {AppError} as `checkReading` */
async function checkReadingOf({ db }: AppContext, caller: Caller, { scope, key, tokenId }: BoundBudget): Promise<void> {
  const token = tokenId === 0 ? null : await db.collection('tokens').get(tokenId);
  const member = scope === 'member' ? await db.collection('organisation_members').get(readKey(key)?.subject ?? 0) : null;
  checkReading(caller, { token, member });
}

/** @throws {AppError} as `readable`; `token_limit_held`, `user_edit_denied` */
async function editable(context: AppContext, caller: Caller, key: string): Promise<BoundBudget> {
  const bound = await readable(context, caller, key);
  if (await mayEdit(context, caller, bound)) return bound;
  const token = bound.scope === 'token' ? await context.db.collection('tokens').get(bound.tokenId) : null;
  throw token === null ? new AppError('user_edit_denied') : new AppError('token_limit_held', { name: token.name });
}

const heldName: HeldLimit = 'budgets';

/** Budgets of users and of the site bind their callers; owners change those of their tokens that no administrator holds, organisations their own. */
async function mayEdit({ db }: AppContext, { user: actor, membership }: Caller, { scope, tokenId, userId }: BoundBudget): Promise<boolean> {
  if (actor.role >= Role.admin) return true;
  const token = scope === 'token' ? await db.collection('tokens').get(tokenId) : null;
  if (membership != null) {
    const isOfOthers = token !== null && isBound(token, membership) && boundsOf(token).budgets !== undefined;
    return scope !== 'site' && userId === actor.id && !isOfOthers && mayInOrganisation(membership.member.role, 'manage');
  }
  if (scope !== 'token' || userId !== actor.id) return false;
  return token !== null && !commaList(token.held ?? '').includes(heldName);
}
