import { AppError } from '#shared/errors.ts';
import { foldName } from '#server/accounts/folded-name.ts';
import { presentToOthers, presentUser } from '#server/accounts/present-user.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { type Change, type Edited, editRecord } from '#server/db/edit-record.ts';
import type { UserRecord } from '#server/db/records/user.ts';

export type AccountFields = Partial<
  Pick<
    UserRecord,
    | 'username'
    | 'display_name'
    | 'group'
    | 'password_hash'
    | 'role'
    | 'status'
    | 'setting'
    | 'DeletedAt'
    | 'access_token_hash'
    | 'access_token_time'
    | 'webhook_secret'
    | 'rate_limits'
    | 'budgets'
  >
>;

interface AccountEdit {
  id: number;
  /** Revision that the edit is based on; if undefined, the stored one. */
  revision?: number | undefined;
  /** Whether the reader of a conflict may be another person than the owner. */
  isByOthers?: boolean;
  /** Computes the change from the current account; may throw, and may run again. */
  change(current: UserRecord): { set: AccountFields; unset?: Change<UserRecord>['unset'] };
}

/**
 * Edits an existing user.
 * @throws {AppError} `revision_conflict` with the current account, `username_taken`, `user_not_found`
 */
export async function editAccount(
  context: AppContext,
  { id, revision, isByOthers = false, change }: AccountEdit,
): Promise<Edited<UserRecord>> {
  const edited = await editRecord(context, 'users', {
    id,
    where: { DeletedAt: null },
    revision,
    present: isByOthers ? presentToOthers : presentUser,
    change(current) {
      const { set, ...rest } = change(current);
      return { set: set.username === undefined ? set : { ...set, username_folded: foldName(set.username) }, ...rest };
    },
  }).catch((failure: unknown) => {
    if (!(failure instanceof UniqueConflict)) throw failure;
    throw new AppError('username_taken', {}, { cause: failure, field: 'username' });
  });
  if (edited === null) throw new AppError('user_not_found');
  return edited;
}
