// Reads the session id of a request.
import { fieldsOf, type SessionIds, sessionInMetadata, sessionInUser, sessionNamed } from '../session-headers.ts';

/** Returns the session ids. Codex repeats its headers in `client_metadata`, where they are the only ones on a WebSocket. */
export function sessionIn(body: Readonly<Record<string, unknown>>): Partial<SessionIds> | null {
  const { client_metadata, conversation, metadata, user, prompt_cache_key } = body;
  const reported = fieldsOf(client_metadata);
  const { session_id: session, thread_id: agent, 'x-codex-parent-thread-id': parent } = reported;
  if (typeof session === 'string') return { session, ...text({ agent, parent }) };
  return (
    sessionNamed(conversation, fieldsOf(conversation)['id']) ??
    sessionInMetadata(metadata) ??
    sessionInUser(user) ??
    sessionNamed(prompt_cache_key)
  );
}

function text({ agent, parent }: { agent: unknown; parent: unknown }): Partial<SessionIds> {
  return { agent: typeof agent === 'string' ? agent : '', parent: typeof parent === 'string' ? parent : '' };
}
