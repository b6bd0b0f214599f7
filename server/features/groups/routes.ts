import { groupApi } from '#shared/groups.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { readGroupUses } from '#server/settings/group-uses.ts';
import { presentMove, removeGroup, renameGroup } from './start-move.ts';

export function mountGroups(host: RouteHost): void {
  mount(host, groupApi.uses, ({ context, query }) => readGroupUses(context, query.name));
  mount(host, groupApi.move, ({ context }) => {
    const { running } = context.settings.groupMoves;
    return running === null ? null : presentMove(running);
  });
  mount(host, groupApi.rename, (call) => renameGroup(call.context, { ...call.body, actor: signedIn(call).user }));
  mount(host, groupApi.remove, (call) => removeGroup(call.context, { ...call.body, actor: signedIn(call).user }));
}
