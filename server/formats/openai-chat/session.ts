// Session id of a request.
import { type SessionIds, sessionInMetadata, sessionInUser, sessionNamed } from '../session-headers.ts';

/** The cache key comes last: for most clients it identifies a conversation, for some an application. */
export function sessionIn({ session_id, metadata, user, prompt_cache_key }: Readonly<Record<string, unknown>>): Partial<SessionIds> | null {
  if (session_id === undefined && metadata === undefined && user === undefined && prompt_cache_key === undefined) return null;
  return sessionNamed(session_id) ?? sessionInMetadata(metadata) ?? sessionInUser(user) ?? sessionNamed(prompt_cache_key);
}
