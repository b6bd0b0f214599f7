// An administrator disables, enables, limits or deletes a user's token. Each leaves a row in the log of the owner.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { LogEvent } from '#shared/log-event.ts';
import { LogType } from '#shared/logs.ts';
import { TokenStatus } from '#shared/tokens.ts';
import type { UserTokenEdit } from '#shared/user-tokens.ts';
import { actingOn } from '#server/audit-log/actor.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import { type Change, editRecord } from '#server/db/edit-record.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { editToken } from '../edit-token.ts';
import { ownToken } from '../store.ts';
import { isExhausted, isExpired } from '../token-status.ts';
import { type OwnedToken, presentPlain, readManagedToken } from './user-token-store.ts';

interface Target {
  id: number;
  revision?: number | undefined;
}

/** @throws {AppError} `not_found`, `user_edit_denied`, `revision_conflict`, `invalid_field` */
export async function blockToken(context: AppContext, actor: UserRecord, target: Target & { reason: string }): Promise<OwnedToken> {
  const reason = target.reason.trim();
  if (reason === '') throw invalidField('reason', fieldRules.required);
  if (/\p{Cc}/u.test(reason) || !reason.isWellFormed()) throw invalidField('reason', fieldRules.characters);
  const block = { blocked_reason: reason, blocked_time: Math.floor(context.now() / 1000), blocked_by: actor.id };
  const owned = await change(context, actor, target, (token) => {
    const wasDisabled = token.blocked_reason === undefined && token.status === TokenStatus.disabled;
    return { set: { status: TokenStatus.disabled, ...block, ...(wasDisabled ? { disabled_before_block: true as const } : {}) } };
  });
  const { name: token } = owned.token;
  await report(context, actor, owned.owner, {
    content: `管理员禁用了令牌 ${token}，原因：${reason}`,
    event: { code: 'token_blocked', token, reason },
  });
  return owned;
}

/** @throws {AppError} as `blockToken`, and `token_expired_enable`, `token_exhausted_enable` */
export async function unblockToken(context: AppContext, actor: UserRecord, target: Target): Promise<OwnedToken> {
  const owned = await change(context, actor, target, (token) => {
    const unset = ['blocked_reason', 'blocked_time', 'blocked_by', 'disabled_before_block'] as const;
    if (token.blocked_reason !== undefined && token.disabled_before_block === true) return { set: {}, unset: [...unset] };
    if (isExpired(token, context.now())) throw new AppError('token_expired_enable');
    if (isExhausted(token)) throw new AppError('token_exhausted_enable');
    return { set: { status: TokenStatus.enabled }, unset: [...unset] };
  });
  const { name: token } = owned.token;
  await report(context, actor, owned.owner, { content: `管理员解除了对令牌 ${token} 的禁用`, event: { code: 'token_unblocked', token } });
  return owned;
}

/** Changes what an owner may change, and decides what the owner cannot change any more. @throws {AppError} as an edit by the owner */
export async function limitToken(
  context: AppContext,
  actor: UserRecord,
  { id, held, ...edit }: UserTokenEdit & { id: number },
): Promise<OwnedToken> {
  const { owner } = await readManagedToken(context, id, actor);
  const present = (token: TokenRecord) => presentPlain(context, { token, owner });
  const token = await actingOn(owner.role, () => editToken(context, owner, { ...edit, id }, { by: { actorId: actor.id, held, present } }));
  await report(context, actor, owner, {
    content: `管理员修改了令牌 ${token.name} 的限制`,
    event: { code: 'token_limited', token: token.name },
  });
  return { token, owner };
}

/** @throws {AppError} `not_found`, `user_edit_denied` */
export async function deleteUserToken(context: AppContext, actor: UserRecord, id: number): Promise<void> {
  const deleted = { DeletedAt: new Date(context.now()).toISOString(), deleted_by: actor.id };
  const { token, owner } = await change(context, actor, { id }, () => ({ set: deleted }));
  await report(context, actor, owner, { content: `管理员删除了令牌 ${token.name}`, event: { code: 'token_deleted', token: token.name } });
}

async function change(
  context: AppContext,
  actor: UserRecord,
  { id, revision }: Target,
  wanted: (token: TokenRecord) => Change<TokenRecord>,
): Promise<OwnedToken> {
  const { owner } = await readManagedToken(context, id, actor);
  const edited = await withEditLock(context, `token:${id}`, () =>
    actingOn(owner.role, () =>
      editRecord(context, 'tokens', {
        id,
        where: ownToken(owner.id, id),
        revision,
        change: wanted,
        present: (token) => presentPlain(context, { token, owner }),
      }),
    ),
  );
  if (edited === null) throw new AppError('not_found');
  return { token: edited.after, owner };
}

export async function report(
  context: AppContext,
  actor: Pick<UserRecord, 'username'>,
  user: UserRecord,
  { content, event }: { content: string; event: LogEvent },
): Promise<void> {
  await writeLog(context, {
    user_id: user.id,
    username: user.username,
    type: LogType.management,
    content,
    event,
    by: actor,
    group: user.group,
  });
}
