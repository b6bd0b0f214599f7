// Deleting a user. The record stays for the books, and its name and addresses stay reserved.
import { TokenStatus } from '#shared/tokens.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { endSessionsOf } from '#server/http/session.ts';

/** Marks a user deleted, if `check` does not throw. @throws {AppError} `user_not_found`, also when the user is deleted already */
export async function deleteAccount(context: AppContext, id: number, check: (current: UserRecord) => void): Promise<UserRecord> {
  const { after } = await editAccount(context, {
    id,
    change(current) {
      check(current);
      return { set: { DeletedAt: new Date(context.now()).toISOString() }, unset: ['access_token_hash', 'access_token_time'] };
    },
  });
  // The change of the user is announced already. None of the user's keys works from then on, so their own change needs no announcement.
  await endSessionsOf(context, id);
  const enabled: Filter<TokenRecord> = { user_id: id, status: { ne: TokenStatus.disabled } };
  await context.db.collection('tokens').patchAll(enabled, { set: { status: TokenStatus.disabled }, increment: { revision: 1 } });
  return after;
}
