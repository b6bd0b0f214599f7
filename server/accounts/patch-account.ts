import { AppError } from '#shared/errors.ts';
import { foldName } from '#server/accounts/folded-name.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import type { AppContext } from '#server/context.ts';
import { type Filter, UniqueConflict } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/**
 * Stores fields of a living user and moves his revision, if `revision` and `role` (where given) are current.
 * @throws {AppError} `revision_conflict` with the current record, `username_taken`, `user_not_found`
 */
export async function patchAccount(
  context: AppContext,
  id: number,
  edit: {
    set: Partial<Pick<UserRecord, 'username' | 'display_name' | 'group' | 'password_hash' | 'role' | 'status' | 'setting'>>;
    revision: number | undefined;
    /** The role by which the editor's rights were judged. */
    role?: number;
  },
): Promise<UserRecord> {
  const users = context.db.collection('users');
  // Conditions that are undefined are none.
  const condition: Filter<UserRecord> = { id, DeletedAt: null, revision: edit.revision, role: edit.role };
  try {
    const { username } = edit.set;
    const set = username === undefined ? edit.set : { ...edit.set, username_folded: foldName(username) };
    const patched = await users.patch(condition, { set, increment: { revision: 1 } });
    if (patched !== null) return patched;
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    throw new AppError('username_taken', {}, { cause: failure, field: 'username' });
  }
  const current = await users.get(id);
  if (current === null || current.DeletedAt !== null) throw new AppError('user_not_found');
  throw new AppError('revision_conflict', {}, { data: presentUser(current) });
}
