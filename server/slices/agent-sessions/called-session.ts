// The client session of a call, as the log stores it.
import type { SessionIds } from '#server/formats/session-headers.ts';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import type { Admission } from '#server/call/admission/admission.ts';

export interface CalledSession extends SessionIds {
  /** Id of the session's record. */
  key: string;
  /** Program name, mostly with a version, from `User-Agent`. Empty if the client sends none. */
  client: string;
}

export function calledSession(ids: SessionIds, { user, token }: Admission, headers: Pick<Headers, 'get'>): CalledSession {
  const key = sessionKey(user.id, token?.id ?? 0, ids.session);
  return { ...ids, key, client: /^[\w.+-]{1,40}(?:\/[\w.+-]{1,24})?/.exec(headers.get('user-agent') ?? '')?.[0] ?? '' };
}
