import type { Invitation } from '#shared/invitations.ts';
import type { InvitationRecord } from '#server/db/records/invitation.ts';

/** @param now milliseconds */
export function presentInvitation(record: InvitationRecord, now: number): Invitation {
  const { id, username, email, group, quota, created_at, expires_at, user_id = 0 } = record;
  const state = record.state === 'open' && expires_at * 1000 <= now ? 'expired' : record.state;
  const mail = record.mail_due_at === undefined ? (record.mail ?? 'none') : 'due';
  return { id, username, email, group, quota, state, user_id, created_at, expires_at, mail };
}
