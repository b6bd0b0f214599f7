import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import type { Binding } from '#shared/oauth.ts';
import { mayActOn } from '#shared/roles.ts';
import { unbindIdentity } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';

/** Whatever is left to sign in with: that is the administrator's to judge. @throws {AppError} `binding_missing` */
export async function removeBinding(
  context: AppContext,
  actor: UserRecord,
  { id, binding }: { id: number; binding: Binding },
): Promise<UserRecord> {
  const check = (current: UserRecord) => {
    if (!mayActOn(actor.role, current.role)) throw new AppError('user_edit_denied');
  };
  const user = await unbindIdentity(context, { userId: id, binding, isOwn: false, check });
  await writeLog(context, {
    user_id: user.id,
    username: user.username,
    type: LogType.management,
    content: `管理员解除了用户的绑定：${binding}`,
    event: { code: 'binding_removed', binding },
    by: actor,
    group: user.group,
  });
  return user;
}
