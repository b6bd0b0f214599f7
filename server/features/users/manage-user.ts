// Promote, demote, disable, enable, delete: each with its guards, each leaving a row in the user's log.
import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import type { LogEvent } from '#shared/logs.ts';
import { Role, mayActOn } from '#shared/roles.ts';
import { UserStatus } from '#shared/users.ts';
import type { ManageAction, User } from '#shared/users.ts';
import { deleteAccount } from '#server/accounts/end-account.ts';
import { patchAccount } from '#server/accounts/patch-account.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { endSessionsOf } from '#server/http/session.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { readLivingUser } from './store.ts';

const said = {
  promote: { content: '管理员将用户提升为管理员', event: { code: 'user_promoted' } },
  demote: { content: '管理员将用户降级为普通用户', event: { code: 'user_demoted' } },
  disable: { content: '管理员封禁了用户', event: { code: 'user_disabled' } },
  enable: { content: '管理员启用了用户', event: { code: 'user_enabled' } },
  delete: { content: '管理员注销了用户', event: { code: 'user_deleted' } },
} as const satisfies Record<ManageAction, { content: string; event: LogEvent }>;

export async function manageUser(context: AppContext, actor: UserRecord, input: { id: number; action: ManageAction }): Promise<User> {
  const target = await readLivingUser(context, input.id);
  if (!mayActOn(actor.role, target.role)) throw new AppError('user_edit_denied');
  guards[input.action](actor, target);
  // The guards judged this revision: when somebody else was faster, they judge again.
  const changed = await apply(context, target, input.action);
  if (changed === null) return manageUser(context, actor, input);
  await context.changes.announce('user', target.id);
  await writeLog(context, {
    user_id: changed.id,
    username: changed.username,
    type: LogType.management,
    ...said[input.action],
    group: changed.group,
  });
  return presentUser(changed);
}

const guards: Record<ManageAction, (actor: UserRecord, target: UserRecord) => void> = {
  promote(actor, target) {
    if (actor.role < Role.root) throw new AppError('promote_denied');
    if (target.role >= Role.admin) throw new AppError('already_admin');
  },
  demote(_actor, target) {
    if (target.role >= Role.root) throw new AppError('root_not_demoted');
    if (target.role <= Role.user) throw new AppError('already_user');
  },
  disable(_actor, target) {
    if (target.role >= Role.root) throw new AppError('root_not_disabled');
  },
  enable(_actor, target) {
    if (target.status === UserStatus.locked) throw new AppError('enable_blocked');
  },
  delete(_actor, target) {
    if (target.role >= Role.root) throw new AppError('root_not_deleted');
  },
};

/** The user afterwards; null when the record has moved on since it was judged. */
async function apply(context: AppContext, target: UserRecord, action: ManageAction): Promise<UserRecord | null> {
  if (action === 'delete') return deleteAccount(context, target.id, target.revision);
  const set = {
    promote: { role: Role.admin },
    demote: { role: Role.user },
    disable: { status: UserStatus.banned },
    enable: { status: UserStatus.active },
  }[action];
  try {
    const changed = await patchAccount(context, target.id, { set, revision: target.revision });
    if (action === 'disable') await endSessionsOf(context, target.id);
    return changed;
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'revision_conflict') return null;
    throw failure;
  }
}
