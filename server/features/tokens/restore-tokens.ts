import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import { editRecords } from '#server/db/edit-records.ts';
import { restorableTexts } from '#server/clock/restorable-times.ts';
import { requireTokenCapacity } from './token-capacity.ts';

/**
 * Takes back a deletion just made of the user's own tokens; returns how many are there again, as they were. Later a deleted key
 * stays deleted: whoever deleted it because it leaked must be able to rely on that.
 * @throws {AppError} `token_limit_reached` before any is restored, when others have taken the room
 */
export function restoreTokens(context: AppContext, userId: number, ids: readonly number[]): Promise<number> {
  return withEditLock(context, `tokens-of:${userId}`, () => restore(context, userId, ids));
}

async function restore(context: AppContext, userId: number, ids: readonly number[]): Promise<number> {
  const times = restorableTexts(context);
  const tokens = context.db.collection('tokens');
  const wanted = await tokens.count({ id: { in: [...new Set(ids)] }, user_id: userId, DeletedAt: times });
  if (wanted > 0) await requireTokenCapacity(context, userId, wanted);
  let count = 0;
  await editRecords(context, 'tokens', {
    ids,
    where: { user_id: userId, DeletedAt: times },
    change: () => ({ set: { DeletedAt: null } }),
    onEach: (_id, result) => (count += Number(result !== null)),
  });
  return count;
}
