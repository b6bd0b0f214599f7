// The session of its client that a call belongs to, as the log keeps it.
import { sessionOfCall } from '#server/formats/session-ids.ts';
import type { SessionIds } from '#server/formats/session-ids.ts';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayBody, RelayEndpoint } from '#server/call/endpoints.ts';

export interface CalledSession extends SessionIds {
  /** The id of its record. */
  key: string;
  /** The program, as it names itself in `User-Agent`: a name and mostly a version. Empty: it does not. */
  client: string;
}

/** Null: the call says nothing of a session. */
export function calledSession(
  { dialect }: Pick<RelayEndpoint, 'dialect'>,
  { headers, body, admission }: { headers: Pick<Headers, 'get'>; body: RelayBody; admission: Admission },
): CalledSession | null {
  const ids = sessionOfCall(dialect, headers, body);
  if (ids === null) return null;
  const key = sessionKey(admission.user.id, admission.token?.id ?? 0, ids.session);
  return { ...ids, key, client: /^[\w.+-]{1,40}(?:\/[\w.+-]{1,24})?/.exec(headers.get('user-agent') ?? '')?.[0] ?? '' };
}
