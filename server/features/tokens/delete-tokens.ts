import type { AppContext } from '#server/context.ts';

/**
 * Deletes those of the given tokens that are the user's own; returns how many. Rows stay for the books and keys are never
 * handed out again. What was left on a token's balance was a limit, not money: the user's balance does not move.
 */
export async function deleteTokens(context: AppContext, userId: number, ids: readonly number[]): Promise<number> {
  const tokens = context.db.collection('tokens');
  const deletedAt = new Date(context.now()).toISOString();
  let count = 0;
  for (const id of new Set(ids)) {
    const deleted = await tokens.patch(
      { id, user_id: userId, DeletedAt: null },
      { set: { DeletedAt: deletedAt }, increment: { revision: 1 } },
    );
    if (deleted === null) continue;
    count += 1;
    await context.changes.announce('token', id);
  }
  return count;
}
