// Deletes users. The record remains for the books, and its name and addresses stay reserved.
import { TokenStatus } from '#shared/tokens.ts';
import { AppError } from '#shared/errors.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import { leaveOrganisations } from '#server/accounts/members.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { endSessionsOf } from '#server/http/session.ts';

/**
 * Marks a user as deleted, unless `check` throws. A person leaves all organisations before.
 * @throws {AppError} `user_not_found`, also if deleted already; `organisation_last_owner`
 */
export async function deleteAccount(context: AppContext, id: number, check: (current: UserRecord) => void): Promise<UserRecord> {
  const stored = await context.db.collection('users').first({ id, DeletedAt: null });
  if (stored === null) throw new AppError('user_not_found');
  check(stored);
  await leaveOrganisations(context, id);
  const { after } = await editAccount(context, {
    id,
    change(current) {
      check(current);
      return { set: { DeletedAt: new Date(context.now()).toISOString() }, unset: ['access_token_hash', 'access_token_time'] };
    },
  });
  // Joined meanwhile.
  await leaveOrganisations(context, id, true);
  // The user's change is announced already and disables all keys, so their own changes need no announcement.
  await endSessionsOf(context, id);
  const enabled: Filter<TokenRecord> = { user_id: id, status: { ne: TokenStatus.disabled } };
  await context.db.collection('tokens').patchAll(enabled, { set: { status: TokenStatus.disabled }, increment: { revision: 1 } });
  return after;
}
