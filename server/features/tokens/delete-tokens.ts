import { checkRecordIsFree } from '#server/audit-log/managed-records.ts';
import type { AppContext } from '#server/context.ts';
import { editRecords } from '#server/db/edit-records.ts';

/**
 * Deletes those of the given tokens that are the user's own; returns how many. Rows stay for the books and keys are never
 * handed out again. What was left on a token's balance was a limit, not money: the user's balance does not move.
 * @param memberId member of the organisation who deletes them; the member whose token it is cannot restore what another one has deleted
 * @throws {AppError} `managed_by_file` before any is deleted
 */
export async function deleteTokens(context: AppContext, userId: number, ids: readonly number[], memberId?: number): Promise<number> {
  const deletedAt = new Date(context.now()).toISOString();
  const own = await context.db.collection('tokens').find({ id: { in: ids }, user_id: userId, DeletedAt: null });
  for (const token of own) checkRecordIsFree('tokens', token, { ...token, DeletedAt: deletedAt });
  let count = 0;
  await editRecords(context, 'tokens', {
    ids,
    where: { user_id: userId, DeletedAt: null },
    change: ({ member_id: owner = 0 }) => ({
      set: { DeletedAt: deletedAt, ...(memberId === undefined || owner === 0 || owner === memberId ? {} : { deleted_by: memberId }) },
    }),
    onEach: (_id, result) => (count += Number(result !== null)),
  });
  return count;
}
