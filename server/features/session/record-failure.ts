// Failed sign-ins of administrators in the audit log. Guessers make many: those of an hour from one address are one entry with their number, and from the
// twentieth address on, those of all further ones.
import { Role } from '#shared/roles.ts';
import { currentActor } from '#server/audit-log/actor.ts';
import { auditEntry, auditIdAt } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { countHit } from '#server/http/rate-limit.ts';

const windowMs = 3_600_000;
/** Addresses of an hour with an entry of their own, per account. */
const mostAddresses = 20;

/** @param address of the limit that the attempt counts for */
export async function recordFailure(context: AppContext, { id: userId, username, role }: UserRecord, address: string): Promise<void> {
  if (role < Role.admin) return;
  const now = context.now();
  const start = Math.floor(now / windowMs) * windowMs;
  const entries = context.db.collection('audit_entries');
  const idFor = (from: string) => `${auditIdAt(start)}-sign_in-${userId}-${context.secrets.hash(`audit:${from}`).slice(0, 24)}`;
  const again = { set: { last_at: now }, increment: { count: 1 } };
  if ((await entries.patch({ id: idFor(address) }, again)) !== null) return;
  const { count } = await countHit(context, `audit-failed:${userId}:${start}`, windowMs / 1000);
  const isOwn = count <= mostAddresses;
  const actor = currentActor();
  const entry = auditEntry(
    { id: idFor(isOwn ? address : ''), at: start, actor: isOwn ? actor : { ...actor, ip: '', userAgent: '', requestId: '' } },
    { kind: 'sign_in', action: 'sign_in_failed', id: userId, name: username, rank: role },
  );
  await entries.patch({ id: entry.id }, again, { insertIfMissing: { ...entry, at: now, last_at: now, count: 1 } });
}
