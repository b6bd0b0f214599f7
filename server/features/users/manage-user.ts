// Promote, demote, disable, enable, delete: each with its guards, each leaving a row in the user's log.
import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import type { LogEvent } from '#shared/log-event.ts';
import { Role, mayActOn } from '#shared/roles.ts';
import { type User, UserStatus } from '#shared/user.ts';
import type { ManageAction } from '#shared/users.ts';
import { announceOwned, requireAboveOwners } from '#server/accounts/owners.ts';
import { deleteAccount } from '#server/accounts/end-account.ts';
import { type AccountFields, editAccount } from '#server/accounts/edit-account.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { endSessionsOf } from '#server/http/session.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { presentManaged } from './store.ts';

const said = {
  promote: { content: '管理员将用户提升为管理员', event: { code: 'user_promoted' } },
  demote: { content: '管理员将用户降级为普通用户', event: { code: 'user_demoted' } },
  disable: { content: '管理员封禁了用户', event: { code: 'user_disabled' } },
  enable: { content: '管理员启用了用户', event: { code: 'user_enabled' } },
  delete: { content: '管理员注销了用户', event: { code: 'user_deleted' } },
} as const satisfies Record<ManageAction, { content: string; event: LogEvent }>;

export async function manageUser(context: AppContext, actor: UserRecord, input: { id: number; action: ManageAction }): Promise<User> {
  const { id, action } = input;
  const target = await context.db.collection('users').get(id);
  if (target !== null) await requireAboveOwners(context, actor, target);
  // Judged on the account as it is when it is changed.
  const check = (current: UserRecord) => {
    if (!mayActOn(actor.role, current.role)) throw new AppError('user_edit_denied');
    // An organisation has no rights at the site, and its end is that of its members, too.
    if (current.kind !== undefined && action !== 'disable' && action !== 'enable') throw new AppError('user_edit_denied');
    guards[action](actor, current);
  };
  const changed = action === 'delete' ? await deleteAccount(context, id, check) : await setTo(context, { id, set: results[action], check });
  if (action === 'disable') await endSessionsOf(context, id);
  if (action === 'disable' || action === 'enable') await announceOwned(context, id);
  await writeLog(context, {
    user_id: changed.id,
    username: changed.username,
    type: LogType.management,
    ...said[action],
    by: actor,
    group: changed.group,
  });
  return presentManaged(context, changed);
}

const results = {
  promote: { role: Role.admin },
  demote: { role: Role.user },
  disable: { status: UserStatus.banned },
  enable: { status: UserStatus.active },
} as const satisfies Record<Exclude<ManageAction, 'delete'>, AccountFields>;

async function setTo(
  context: AppContext,
  { id, set, check }: { id: number; set: AccountFields; check(current: UserRecord): void },
): Promise<UserRecord> {
  const { after } = await editAccount(context, {
    id,
    change(current) {
      check(current);
      return { set };
    },
  });
  return after;
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
