import type { AppContext } from '#server/context.ts';
import { endSessionsOf } from '#server/http/session.ts';

/**
 * Ends all access to an account except the session that sets a new password. The access token is removed last, because
 * a session that ends here may just have created one. Returns whether there was a token.
 */
export async function endAccess(context: AppContext, userId: number, exceptSessionId: string | null = null): Promise<boolean> {
  await endSessionsOf(context, userId, exceptSessionId);
  const ended = await context.db
    .collection('users')
    .patch({ id: userId, access_token_hash: { exists: true } }, { unset: ['access_token_hash', 'access_token_time'] });
  return ended !== null;
}
