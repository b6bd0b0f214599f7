// Moves a key to another user.
import { AppError } from '#shared/errors.ts';
import { mayActOn } from '#shared/roles.ts';
import { actingOn } from '#server/audit-log/actor.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { requireAboveOwners } from '#server/accounts/owners.ts';
import { moveKey } from '#server/accounts/move-key.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { requireTokenCapacity } from '../token-capacity.ts';
import { report } from './manage-token.ts';
import { type OwnedToken, presentPlain, readManagedToken } from './user-token-store.ts';

/** @throws {AppError} `not_found`, `user_edit_denied`, `user_not_found`, `token_owner_same`, `token_limit_reached`, `revision_conflict` */
export async function moveToken(
  context: AppContext,
  actor: UserRecord,
  { id, user_id: userId, revision }: { id: number; user_id: number; revision?: number | undefined },
): Promise<OwnedToken> {
  const { token, owner } = await readManagedToken(context, id, actor);
  const target = await context.db.collection('users').get(userId);
  if (target === null || target.DeletedAt !== null) throw new AppError('user_not_found', {}, { field: 'user_id' });
  if (!mayActOn(actor.role, target.role)) throw new AppError('user_edit_denied', {}, { field: 'user_id' });
  await requireAboveOwners(context, actor, target, true);
  if (target.id === owner.id) throw new AppError('token_owner_same', {}, { field: 'user_id' });
  const moved = await withEditLock(context, `tokens-of:${target.id}`, async () => {
    await requireTokenCapacity(context, target, 1);
    return withEditLock(context, `token:${id}`, () =>
      actingOn(Math.max(owner.role, target.role), () =>
        moveKey(context, {
          id,
          actorId: actor.id,
          owner,
          target,
          revision,
          present: (current) => presentPlain(context, { token: current, owner }),
        }),
      ),
    );
  });
  const event = { code: 'token_moved' as const, token: token.name, from: owner.username, to: target.username };
  const content = `管理员将令牌 ${token.name} 从用户 ${owner.username} 移至用户 ${target.username}`;
  for (const user of [owner, target]) await report(context, actor, user, { content, event });
  return { token: moved, owner: target };
}
