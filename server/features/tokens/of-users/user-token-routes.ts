import { userTokenApi } from '#shared/user-tokens.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { findKey } from './find-key.ts';
import { blockToken, deleteUserToken, limitToken, unblockToken } from './manage-token.ts';
import { moveToken } from './move-token.ts';
import { listUserTokens, presentOne, readUserToken } from './user-token-store.ts';

/** Tokens of other users, for administrators. */
export function mountUserTokens(host: RouteHost): void {
  mount(host, userTokenApi.list, (call) => listUserTokens(call.context, call.query, signedIn(call).user));
  mount(host, userTokenApi.find, (call) => findKey(call.context, signedIn(call).user, call.body.key));
  mount(host, userTokenApi.read, async (call) =>
    presentOne(call.context, await readUserToken(call.context, Number(call.params.id), signedIn(call).user)),
  );
  mount(host, userTokenApi.edit, async ({ context, params, body, ...call }) =>
    presentOne(context, await limitToken(context, signedIn(call).user, { ...body, id: Number(params.id) })),
  );
  mount(host, userTokenApi.block, async ({ context, params, body, ...call }) =>
    presentOne(context, await blockToken(context, signedIn(call).user, { ...body, id: Number(params.id) })),
  );
  mount(host, userTokenApi.unblock, async ({ context, params, body, ...call }) =>
    presentOne(context, await unblockToken(context, signedIn(call).user, { ...body, id: Number(params.id) })),
  );
  mount(host, userTokenApi.move, async ({ context, params, body, ...call }) =>
    presentOne(context, await moveToken(context, signedIn(call).user, { ...body, id: Number(params.id) })),
  );
  mount(host, userTokenApi.remove, async (call) => {
    await deleteUserToken(call.context, signedIn(call).user, Number(call.params.id));
    return undefined;
  });
}
