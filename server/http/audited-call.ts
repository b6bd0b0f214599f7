// Who makes a console call, for the audit log, and the entries of calls that no audited record stands for.
import type { AuditKind } from '#shared/audit-spec.ts';
import type { Endpoint } from '#shared/contract.ts';
import type { Actor } from '#server/audit-log/actor.ts';
import { recordingAudit } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type Call, type Handler, personOf } from '#server/http/call.ts';

export function actorOf(endpoint: Endpoint, { caller, facts }: Pick<Call<Endpoint>, 'caller' | 'facts'>): Actor {
  return {
    user: caller === null ? null : identityOf(personOf(caller)),
    by: caller === null ? 'none' : caller.sessionId === null ? 'access_token' : 'session',
    job: '',
    ip: facts.ip,
    userAgent: facts.headers.get('user-agent') ?? '',
    requestId: facts.requestId,
    spec: endpoint.audit,
  };
}

function identityOf({ id, username: name, role }: UserRecord): Actor['user'] {
  return { id, name, role };
}

/** Handles the call; if its contract says so, the call itself is an entry. */
export async function recordedCall<E extends Endpoint>(endpoint: E, call: Call<E>, handler: Handler<E>): Promise<unknown> {
  const { audit } = endpoint;
  if (audit === undefined || !('by' in audit)) return handler(call);
  const { kind, action, object } = audit;
  const id = object === undefined ? undefined : objectOf(call, object);
  const input = { kind, action, id, ...(await named(call.context, kind, id)) };
  return recordingAudit(call.context, { input }, async () => handler(call));
}

/** A name is an id of its own; users are looked up. */
async function named({ db }: AppContext, kind: AuditKind, id: string | number | undefined): Promise<{ name: string; rank?: number }> {
  if (id === undefined || !/^\d{1,15}$/.test(String(id))) return { name: String(id ?? '') };
  const user = kind === 'user' ? await db.collection('users').get(Number(id)) : null;
  return user === null ? { name: '' } : { name: user.username, rank: user.role };
}

/** The field of this name in the parameters, the query or the body. */
function objectOf({ params, query, body }: { params: unknown; query: unknown; body: unknown }, field: string): string | number | undefined {
  for (const part of [params, query, body]) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, field)) continue;
    const value: unknown = Reflect.get(part, field);
    if (typeof value === 'string' || typeof value === 'number') return value;
  }
  return undefined;
}
