import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import { restorableTexts } from '#server/restorable-times.ts';

/**
 * Takes back a deletion just made of the user's own tokens; returns how many are there again, as they were. Later a deleted key
 * stays deleted: whoever deleted it because it leaked must be able to rely on that.
 */
export async function restoreTokens(context: AppContext, userId: number, ids: readonly number[]): Promise<number> {
  const times = restorableTexts(context);
  let count = 0;
  for (const id of new Set(ids)) {
    const where = { user_id: userId, DeletedAt: times };
    const restored = await editRecord(context, 'tokens', { id, where, change: () => ({ set: { DeletedAt: null } }) });
    if (restored !== null) count += 1;
  }
  return count;
}
