import type { AppContext } from '#server/context.ts';
import { endSessionsOf } from '#server/http/session.ts';

/**
 * Ends whatever acts in the name of an account: who gives it a new password has it alone. The session that gives it may go on.
 * The token last: a session that ends here may just have made one. Answers whether there was one.
 */
export async function endAccess(context: AppContext, userId: number, exceptSessionId: string | null = null): Promise<boolean> {
  await endSessionsOf(context, userId, exceptSessionId);
  const ended = await context.db
    .collection('users')
    .patch({ id: userId, access_token_hash: { exists: true } }, { unset: ['access_token_hash', 'access_token_time'] });
  return ended !== null;
}
