import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';

/**
 * Deletes those of the given tokens that are the user's own; returns how many. Rows stay for the books and keys are never
 * handed out again. What was left on a token's balance was a limit, not money: the user's balance does not move.
 */
export async function deleteTokens(context: AppContext, userId: number, ids: readonly number[]): Promise<number> {
  const deletedAt = new Date(context.now()).toISOString();
  let count = 0;
  for (const id of new Set(ids)) {
    const where = { user_id: userId, DeletedAt: null };
    const deleted = await editRecord(context, 'tokens', { id, where, change: () => ({ set: { DeletedAt: deletedAt } }) });
    if (deleted !== null) count += 1;
  }
  return count;
}
