// Mails with invitations leave by a job, so many a minute. The link is made when its mail leaves: nothing at rest opens an account.
import { AppError } from '#shared/errors.ts';
import { type Delivery, invitationMailsPerMinute } from '#shared/invitations.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { InvitationRecord } from '#server/db/records/invitation.ts';
import { MailFailure } from '#server/notify/mail.ts';
import { siteAddress } from '#server/settings/site-address.ts';
import { addressOf, linkFields, newLink, requireDelivery } from './invitation-links.ts';
import { invitationMail } from './invitation-mail.ts';

export const sendEverySeconds = 15;
const perRun = (invitationMailsPerMinute * sendEverySeconds) / 60;
const minute = 60_000;
/** Longer than an attempt ever takes. */
const leaseMs = 10 * minute;
const mostTries = 5;
/** Invitations that have ended are listed for so long. */
const retentionMs = 90 * 24 * 60 * minute;

/** Sends what is due, as much as may leave within one run. */
export async function sendInvitations(context: AppContext): Promise<void> {
  const invitations = context.db.collection('invitations');
  const due = await invitations.find({ mail_due_at: { lte: context.now() } }, { sort: [['mail_due_at', 1]], limit: perRun });
  for (const invitation of due) await sendOne(context, invitation);
}

async function sendOne(context: AppContext, { id, mail_due_at: dueAt, ...invitation }: InvitationRecord): Promise<void> {
  const { settings, now } = context;
  const invitations = context.db.collection('invitations');
  const site = siteAddress(settings);
  if (dueAt === undefined || invitation.expires_at * 1000 <= now() || invitation.state !== 'open') {
    await invitations.patch({ id }, { unset: ['mail_due_at'] });
    return;
  }
  const { token, hash } = newLink(context);
  const claim = { set: { token_hash: hash, is_mailed: true, mail_due_at: now() + leaseMs }, increment: { mail_tries: 1 } };
  const claimed = await invitations.patch({ id, state: 'open', ...(dueAt === undefined ? {} : { mail_due_at: dueAt }) }, claim);
  if (claimed === null) return;
  const own = { id, token_hash: hash };
  try {
    if (site === undefined) throw new AppError('server_address_required');
    const text = invitationMail(invitation, { systemName: settings.get('SystemName'), link: addressOf(site, token) });
    await context.mail.send({ to: invitation.email, ...text });
    await invitations.patch(own, { set: { mail: 'sent' }, unset: ['mail_due_at'] });
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    const tries = claimed.mail_tries ?? 1;
    const isFinal = tries >= mostTries || (failure instanceof AppError && failure.cause instanceof MailFailure && failure.cause.isFinal);
    if (isFinal) await invitations.patch(own, { set: { mail: 'failed' }, unset: ['mail_due_at'] });
    else await invitations.patch(own, { set: { mail_due_at: now() + tries * 5 * minute } });
  }
}

/** Gives an open invitation a new link. @throws {AppError} `not_found`, `mail_unconfigured`, `server_address_required`, `mail_address_invalid` */
export async function sendAgain(
  context: AppContext,
  id: number,
  { delivery, valid_seconds: seconds }: { delivery: Delivery; valid_seconds: number },
): Promise<{ invitation: InvitationRecord; token: string | undefined }> {
  requireDelivery(context, delivery);
  const invitations = context.db.collection('invitations');
  const current = await invitations.get(id);
  if (delivery === 'mail' && current?.email === '') throw new AppError('mail_address_invalid', {}, { field: 'delivery' });
  const { fields, token } = linkFields(context, delivery);
  const expires_at = Math.floor(context.now() / 1000) + seconds;
  const gone = delivery === 'mail' ? (['token_hash', 'mail'] as const) : (['mail_due_at', 'mail'] as const);
  const invitation = await invitations.patch({ id, state: 'open' }, { set: { ...fields, expires_at }, unset: gone });
  if (invitation === null) throw new AppError('not_found');
  return { invitation, token };
}

/** Ends an open invitation; one that has ended stays as it is. @throws {AppError} `not_found` */
export async function withdraw({ db, now }: AppContext, id: number): Promise<InvitationRecord> {
  const invitations = db.collection('invitations');
  const unset = ['open_name', 'open_mailbox', 'token_hash', 'mail_due_at'] as const;
  const ended = await invitations.patch({ id, state: 'open' }, { set: { state: 'withdrawn', ended_at: now() }, unset });
  const invitation = ended ?? (await invitations.get(id));
  if (invitation === null) throw new AppError('not_found');
  return invitation;
}

/** Forgets those that ended long ago. */
export function sweepInvitations({ db, now }: AppContext): Promise<number> {
  return db.collection('invitations').remove({ ended_at: { lt: now() - retentionMs } });
}
