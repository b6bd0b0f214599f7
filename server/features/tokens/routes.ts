import { AppError } from '#shared/errors.ts';
import { type Token, tokenApi } from '#shared/tokens.ts';
import type { MemberEdit } from '#server/accounts/member-bounds.ts';
import type { AppContext } from '#server/context.ts';
import { tightestBudgets } from '#server/budgets/budget-state.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type Caller, respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { pageBounds, totalExtra } from '#server/http/paging.ts';
import { deleteTokens } from './delete-tokens.ts';
import { editToken, editTokenStatus } from './edit-token.ts';
import { presentMasked, presentToken } from './present-token.ts';
import { editTokens } from './edit-tokens.ts';
import { checkReach, createTokensOf, reachedTokens } from './organisation-tokens.ts';
import { endOldKey, renewToken } from './renew-token.ts';
import { restoreTokens } from './restore-tokens.ts';
import { mountUserTokens } from './of-users/user-token-routes.ts';
import { findToken, listTokens, searchTokens } from './store.ts';

/** Everything is about tokens of the caller's account, whatever their role at the site; tokens of others have calls of their own. */
export function mountTokens(host: RouteHost): void {
  mountUserTokens(host);
  mount(host, tokenApi.list, async (call) => {
    const { context, query } = call;
    // This list counts its pages from 0.
    const { size, skip } = pageBounds({ p: (query.p ?? 0) + 1, page_size: query.size ?? query.page_size });
    const caller = signedIn(call);
    const { tokens, total } = await listTokens(context, caller.user.id, { skip, limit: size, where: reachedTokens(caller) });
    return respond(await presentListed(context, tokens), { extra: totalExtra(total) });
  });

  mount(host, tokenApi.search, async (call) => {
    const { keyword, token: key } = call.query;
    const caller = signedIn(call);
    const found = await searchTokens(call.context, caller.user.id, { keyword, key, where: reachedTokens(caller) });
    return presentListed(call.context, found);
  });

  mount(host, tokenApi.read, async (call) => {
    const { id: userId } = await reaching(call, [idOf(call.params.id)]);
    const token = await findToken(call.context, userId, idOf(call.params.id));
    if (token === null) throw new AppError('not_found');
    return presentMasked(call.context, token);
  });

  mount(host, tokenApi.create, async (call) => {
    const created = await createTokensOf(call.context, signedIn(call), call.body);
    return created.map((token) => presentToken(call.context, token));
  });

  mountEdits(host);
}

function mountEdits(host: RouteHost): void {
  mount(host, tokenApi.edit, async (call) => {
    const user = await reaching(call, [call.body.id]);
    const edit = call.query.status_only === undefined ? editToken : editTokenStatus;
    return presentMasked(call.context, await edit(call.context, user, call.body, { member: memberEdit(call) }));
  });

  mount(host, tokenApi.renew, async (call) => {
    const renewal = { ...call.body, id: idOf(call.params.id) };
    return presentToken(call.context, await renewToken(call.context, await reaching(call, [renewal.id]), renewal));
  });

  mount(host, tokenApi.endOldKey, async (call) => {
    const id = idOf(call.params.id);
    return presentMasked(call.context, await endOldKey(call.context, await reaching(call, [id]), id));
  });

  mount(host, tokenApi.remove, async (call) => {
    const id = idOf(call.params.id);
    const count = await deleteTokens(call.context, (await reaching(call, [id])).id, [id], memberOf(call));
    if (count === 0) throw new AppError('not_found');
    return undefined;
  });

  mountMany(host);
}

function mountMany(host: RouteHost): void {
  mount(host, tokenApi.editMany, async (call) =>
    editTokens(call.context, await reaching(call, call.body.ids), call.body, memberEdit(call)),
  );
  for (const [api, work] of [
    [tokenApi.removeMany, deleteTokens],
    [tokenApi.restoreMany, restoreTokens],
  ] as const) {
    mount(host, api, async (call) => work(call.context, (await reaching(call, call.body.ids)).id, call.body.ids, memberOf(call)));
  }
}

/** Id of the person who acts for an organisation; undefined for the own account. */
function memberOf(call: { caller: Caller | null }): number | undefined {
  return signedIn(call).membership?.person.id;
}

/** Undefined for the own account. */
function memberEdit(call: { context: AppContext; caller: Caller | null }): MemberEdit | undefined {
  const { membership } = signedIn(call);
  return membership == null ? undefined : { membership, at: Math.floor(call.context.now() / 1000) };
}

/** The account of tokens that the caller reaches. @throws {AppError} `not_found` */
async function reaching(call: { context: AppContext; caller: Caller | null }, ids: readonly number[]): Promise<UserRecord> {
  const caller = signedIn(call);
  await checkReach(call.context, caller, ids);
  return caller.user;
}

async function presentListed(context: AppContext, tokens: readonly TokenRecord[]): Promise<Token[]> {
  const tightest = await tightestBudgets(context, tokens);
  return tokens.map((token) => {
    const budget = tightest.get(token.id);
    return { ...presentToken(context, token), ...(budget === undefined ? {} : { tightest_budget: budget }) };
  });
}

function idOf(text: string): number {
  const id = Number(text);
  if (id === 0) throw new AppError('token_id_empty');
  return id;
}
