import { AppError } from '#shared/errors.ts';
import { tokenApi } from '#shared/tokens.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { pageBounds, totalExtra } from '#server/http/paging.ts';
import { createTokens } from './create-tokens.ts';
import { deleteTokens } from './delete-tokens.ts';
import { editToken, editTokenStatus } from './edit-token.ts';
import { presentMasked, presentToken } from './present-token.ts';
import { editTokens } from './edit-tokens.ts';
import { endOldKey, renewToken } from './renew-token.ts';
import { restoreTokens } from './restore-tokens.ts';
import { mountUserTokens } from './of-users/user-token-routes.ts';
import { findToken, listTokens, searchTokens } from './store.ts';

/** Everything is about the caller's own tokens, whatever their role; tokens of others have calls of their own. */
export function mountTokens(host: RouteHost): void {
  mountUserTokens(host);
  mount(host, tokenApi.list, async (call) => {
    const { context, query } = call;
    // This list counts its pages from 0.
    const { size, skip } = pageBounds({ p: (query.p ?? 0) + 1, page_size: query.size ?? query.page_size });
    const { tokens, total } = await listTokens(context, signedIn(call).user.id, { skip, limit: size });
    return respond(
      tokens.map((token) => presentToken(context, token)),
      { extra: totalExtra(total) },
    );
  });

  mount(host, tokenApi.search, async (call) => {
    const { keyword, token: key } = call.query;
    const found = await searchTokens(call.context, signedIn(call).user.id, { keyword, key });
    return found.map((token) => presentToken(call.context, token));
  });

  mount(host, tokenApi.read, async (call) => {
    const token = await findToken(call.context, signedIn(call).user.id, idOf(call.params.id));
    if (token === null) throw new AppError('not_found');
    return presentMasked(call.context, token);
  });

  mount(host, tokenApi.create, async (call) => {
    const created = await createTokens(call.context, signedIn(call).user, call.body);
    return created.map((token) => presentToken(call.context, token));
  });

  mount(host, tokenApi.edit, async (call) => {
    const { user } = signedIn(call);
    const edit = call.query.status_only === undefined ? editToken : editTokenStatus;
    return presentMasked(call.context, await edit(call.context, user, call.body));
  });

  mount(host, tokenApi.renew, async (call) => {
    const renewal = { ...call.body, id: idOf(call.params.id) };
    return presentToken(call.context, await renewToken(call.context, signedIn(call).user, renewal));
  });

  mount(host, tokenApi.endOldKey, async (call) =>
    presentMasked(call.context, await endOldKey(call.context, signedIn(call).user, idOf(call.params.id))),
  );

  mount(host, tokenApi.remove, async (call) => {
    const count = await deleteTokens(call.context, signedIn(call).user.id, [idOf(call.params.id)]);
    if (count === 0) throw new AppError('not_found');
    return undefined;
  });

  mount(host, tokenApi.editMany, (call) => editTokens(call.context, signedIn(call).user, call.body));
  mount(host, tokenApi.removeMany, (call) => deleteTokens(call.context, signedIn(call).user.id, call.body.ids));
  mount(host, tokenApi.restoreMany, (call) => restoreTokens(call.context, signedIn(call).user.id, call.body.ids));
}

function idOf(text: string): number {
  const id = Number(text);
  if (id === 0) throw new AppError('token_id_empty');
  return id;
}
