import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import { restorableTexts } from '#server/clock/restorable-times.ts';
import { requireRoom } from './token-room.ts';

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
  if (wanted > 0) await requireRoom(context, userId, wanted);
  let count = 0;
  for (const id of new Set(ids)) {
    const where = { user_id: userId, DeletedAt: times };
    const restored = await editRecord(context, 'tokens', { id, where, change: () => ({ set: { DeletedAt: null } }) });
    if (restored !== null) count += 1;
  }
  return count;
}
