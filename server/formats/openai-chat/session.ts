// Where a request says which session it belongs to.
import { sessionInMetadata, sessionInUser, sessionNamed } from '../session-ids.ts';
import type { SessionIds } from '../session-ids.ts';

/** What groups requests for the cache comes last: it names a conversation for most clients, an application for some. */
export function sessionIn({ session_id, metadata, user, prompt_cache_key }: Readonly<Record<string, unknown>>): Partial<SessionIds> | null {
  return sessionNamed(session_id) ?? sessionInMetadata(metadata) ?? sessionInUser(user) ?? sessionNamed(prompt_cache_key);
}
