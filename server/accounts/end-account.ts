// What a deletion takes along. Rows stay for the books; names and addresses stay reserved.
import { TokenStatus } from '#shared/tokens.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { endSessionsOf } from '#server/http/session.ts';

/** Marks a user deleted; null when he was deleted or changed since `revision`. */
export async function deleteAccount(context: AppContext, userId: number, revision: number): Promise<UserRecord | null> {
  const deleted = await context.db
    .collection('users')
    .patch(
      { id: userId, DeletedAt: null, revision },
      { set: { DeletedAt: new Date(context.now()).toISOString() }, unset: ['access_token_hash'], increment: { revision: 1 } },
    );
  if (deleted === null) return null;
  // From here on none of his keys works, whatever their own status says.
  await context.changes.announce('user', userId);
  await endSessionsOf(context, userId);
  const enabled: Filter<TokenRecord> = { user_id: userId, status: { ne: TokenStatus.disabled } };
  await context.db.collection('tokens').patchAll(enabled, { set: { status: TokenStatus.disabled }, increment: { revision: 1 } });
  return deleted;
}
