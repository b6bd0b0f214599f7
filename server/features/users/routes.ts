import { AppError } from '#shared/errors.ts';
import { mayActOn } from '#shared/roles.ts';
import { userBindingApi } from '#shared/user-bindings.ts';
import { userApi } from '#shared/users.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { addUser } from './add-user.ts';
import { editUser } from './edit-user.ts';
import { manageUser } from './manage-user.ts';
import { endSessions } from './end-sessions.ts';
import { readBalanceHistory } from './read-balance-history.ts';
import { removeBinding } from './remove-binding.ts';
import { readInvitations } from './read-invitations.ts';
import { listUsers, presentManaged, readLivingUser, readUser } from './store.ts';

export function mountUsers(host: RouteHost): void {
  mount(host, userApi.list, ({ query, context }) => listUsers(context, query));
  mount(host, userApi.search, ({ query, context }) => listUsers(context, query));
  mount(host, userApi.read, async (call) => {
    const user = await readLivingUser(call.context, Number(call.params.id));
    checkMayRead(signedIn(call).user, user);
    return presentManaged(call.context, user);
  });
  mount(host, userApi.balanceHistory, async (call) => {
    const { context, params, query } = call;
    const user = await readUser(context, Number(params.id));
    checkMayRead(signedIn(call).user, user);
    return readBalanceHistory(context, user.id, query);
  });
  mount(host, userApi.invitations, async (call) => {
    const { context, params, query } = call;
    const user = await readUser(context, Number(params.id));
    checkMayRead(signedIn(call).user, user);
    const { page, inviters } = await readInvitations(context, user, query);
    return respond(page, { extra: { inviters } });
  });
  mount(host, userBindingApi.remove, async (call) => {
    const { context, params } = call;
    const actor = signedIn(call).user;
    return presentManaged(context, await removeBinding(context, actor, { id: Number(params.id), binding: params.binding }));
  });
  mount(host, userApi.endSessions, (call) => endSessions(call.context, signedIn(call), Number(call.params.id)));
  mount(host, userApi.create, async (call) => {
    await addUser(call.context, signedIn(call).user, call.body);
    return undefined;
  });
  mount(host, userApi.edit, (call) => editUser(call.context, signedIn(call), call.body));
  mount(host, userApi.manage, (call) => manageUser(call.context, signedIn(call).user, call.body));
  mount(host, userApi.remove, async (call) => {
    const actor = signedIn(call).user;
    const user = await readLivingUser(call.context, Number(call.params.id));
    if (!mayActOn(actor.role, user.role)) throw new AppError('user_delete_denied');
    await manageUser(call.context, actor, { id: user.id, action: 'delete' });
    return undefined;
  });
}

/** All may read themselves; the super admin may read all. */
function checkMayRead(caller: UserRecord, user: UserRecord): void {
  if (user.id !== caller.id && !mayActOn(caller.role, user.role)) throw new AppError('user_read_denied');
}
