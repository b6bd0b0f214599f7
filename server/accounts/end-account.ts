// What a deletion or a ban takes along. Rows stay for the books; names and addresses stay reserved.
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/collections.ts';
import { endSessionsOf } from '#server/http/session.ts';

const tokenDisabled = 2;

/** Marks a user deleted; null when he was deleted or changed since `revision`. */
export async function deleteAccount(context: AppContext, userId: number, revision: number): Promise<UserRecord | null> {
  const deleted = await context.db.collection('users').patch(
    { id: userId, DeletedAt: null, revision },
    { set: { DeletedAt: new Date(context.now()).toISOString() }, unset: ['access_token_hash'], increment: { revision: 1 } },
  );
  if (deleted === null) return null;
  await endSessionsOf(context, userId);
  const tokens = context.db.collection('tokens');
  await tokens.patchAll({ user_id: userId, status: { ne: tokenDisabled } }, { set: { status: tokenDisabled }, increment: { revision: 1 } });
  await context.changes.announce('user', userId);
  return deleted;
}
