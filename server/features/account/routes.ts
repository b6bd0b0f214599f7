import { accountApi, type GroupChoice } from '#shared/account.ts';
import { accountActionsApi } from '#shared/account-actions.ts';
import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { deleteAccount } from '#server/accounts/end-account.ts';
import { inviteCodeOf } from '#server/accounts/create-account.ts';
import { transferEarnings } from '#server/accounts/transfer-earnings.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { ratioOfGroup } from '#server/settings/group-moves.ts';
import { isAutoGroup, usableGroups } from '#server/settings/usable-groups.ts';
import { newAccessToken, revokeAccessToken } from './access-token.ts';
import { editSelf } from './edit-self.ts';
import { saveUserSetting } from './save-user-setting.ts';

export function mountAccount(host: RouteHost): void {
  mount(host, accountApi.self, (call) => presentUser(signedIn(call).user));
  mount(host, accountApi.edit, async (call) => {
    const { endedToken } = await editSelf(call.context, signedIn(call), { edit: call.body, ip: call.facts.ip });
    return respond(undefined, endedToken ? { notice: 'access_token_ended' } : {});
  });
  mount(host, accountActionsApi.saveSetting, async (call) =>
    respond(presentUser(await saveUserSetting(call.context, signedIn(call).user, { edit: call.body, language: call.facts.language })), {
      notice: 'user_setting_saved',
    }),
  );
  mount(host, accountApi.remove, async (call) => {
    await deleteSelf(call.context, signedIn(call).user);
    return undefined;
  });
  mount(host, accountActionsApi.newAccessToken, (call) => newAccessToken(call.context, signedIn(call).user));
  mount(host, accountActionsApi.revokeAccessToken, async (call) => {
    await revokeAccessToken(call.context, signedIn(call).user);
    return undefined;
  });
  mount(host, accountActionsApi.inviteCode, (call) => inviteCodeOf(call.context, signedIn(call).user));
  mount(host, accountActionsApi.transfer, async (call) =>
    respond(presentUser(await transferEarnings(call.context, signedIn(call).user, call.body)), { notice: 'earnings_transferred' }),
  );
  mount(host, accountApi.models, ({ context, ...call }) => [
    ...context.channels.enabledModels(Object.keys(usableGroups(context.settings, signedIn(call).user.group))),
  ]);
  mount(host, accountApi.groups, (call) => offeredGroups(call.context, signedIn(call).user.group));
  mount(host, accountActionsApi.visitorGroups, ({ context }) => offeredGroups(context, null));
}

async function deleteSelf(context: AppContext, { id }: UserRecord): Promise<void> {
  await deleteAccount(context, id, ({ role }) => {
    if (role >= Role.root) throw new AppError('root_self_delete');
  }).catch((failure: unknown) => {
    // A concurrent request has deleted it.
    if (!(failure instanceof AppError) || failure.code !== 'user_not_found') throw failure;
  });
}

/** Returns the groups that a user may choose for a token: those that have a ratio, and `auto`. `userGroup` null: a visitor. */
function offeredGroups({ settings }: AppContext, userGroup: string | null): Record<string, GroupChoice> {
  const usable = usableGroups(settings, userGroup);
  const ratioOf = (group: string) => ratioOfGroup(settings, group, userGroup ?? undefined);
  const offered: Record<string, GroupChoice> = {};
  for (const [group, desc] of Object.entries(usable)) {
    if (Object.hasOwn(settings.get('GroupRatio'), group)) offered[group] = { ratio: ratioOf(group), desc };
    if (!isAutoGroup(settings, group)) continue;
    const groups = settings
      .get('AutoGroups')
      .filter((name) => usable[name] !== undefined && Object.hasOwn(settings.get('GroupRatio'), name));
    const ratio = groups.length === 0 ? 1 : Math.max(...groups.map(ratioOf));
    offered[group] = { ratio, desc, groups, ...(settings.get('DefaultUseAutoGroup') ? { is_default: true } : {}) };
  }
  return offered;
}
