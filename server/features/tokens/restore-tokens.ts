import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { editRecords } from '#server/db/edit-records.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { restorableTexts } from '#server/clock/restorable-times.ts';
import { requireTokenCapacity } from './token-capacity.ts';

/**
 * Undoes a recent deletion of the user's own tokens; returns how many are restored. Later a deleted key
 * stays deleted: a user who deleted a leaked key must be able to rely on that.
 * @param memberId member of the organisation who restores them: those that this member has deleted, too
 * @throws {AppError} `token_limit_reached` before any is restored, if new tokens have used up the limit
 */
export function restoreTokens(context: AppContext, userId: number, ids: readonly number[], memberId?: number): Promise<number> {
  return withEditLock(context, `tokens-of:${userId}`, () => restore(context, userId, ids, memberId));
}

async function restore(context: AppContext, userId: number, ids: readonly number[], memberId: number | undefined): Promise<number> {
  // A key that was moved to another user is that user's, and one that an administrator deleted stays deleted.
  const restorable: Filter<TokenRecord> = {
    DeletedAt: restorableTexts(context),
    moved_to: { exists: false },
    ...(memberId === undefined ? { deleted_by: { exists: false } } : { or: [{ deleted_by: { exists: false } }, { deleted_by: memberId }] }),
  };
  const tokens = context.db.collection('tokens');
  const wanted = new Map<number, number>();
  for await (const { member_id: member = 0 } of tokens.each({ id: { in: [...new Set(ids)] }, user_id: userId, ...restorable }))
    wanted.set(member, (wanted.get(member) ?? 0) + 1);
  const owner = wanted.size === 0 ? null : await context.db.collection('users').get(userId);
  if (owner !== null) {
    for (const [member, more] of wanted) await requireTokenCapacity(context, owner, more, member);
  }
  let count = 0;
  await editRecords(context, 'tokens', {
    ids,
    where: { user_id: userId, ...restorable },
    change: () => ({ set: { DeletedAt: null }, unset: ['deleted_by'] }),
    onEach: (_id, result) => (count += Number(result !== null)),
  });
  return count;
}
