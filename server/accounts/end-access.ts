import type { AppContext } from '#server/context.ts';
import { endSessionsOf } from '#server/http/session.ts';

/** Ends whatever acts in the name of an account: who gets it back, by a new password, has it alone. */
export async function endAccess(context: AppContext, userId: number): Promise<void> {
  await context.db.collection('users').patch({ id: userId }, { unset: ['access_token_hash', 'access_token_time'] });
  await endSessionsOf(context, userId);
}
