// Reads the session id of a request.
import { fieldsOf, type SessionIds, sessionInUser } from '../session-headers.ts';

export function sessionIn({ metadata }: Readonly<Record<string, unknown>>): Partial<SessionIds> | null {
  return sessionInUser(fieldsOf(metadata)['user_id']);
}
