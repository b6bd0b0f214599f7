// Session id of a request.
import { fieldsOf, sessionInUser } from '../session-ids.ts';
import type { SessionIds } from '../session-ids.ts';

export function sessionIn({ metadata }: Readonly<Record<string, unknown>>): Partial<SessionIds> | null {
  return sessionInUser(fieldsOf(metadata)['user_id']);
}
