import { AppError } from '#shared/errors.ts';
import type { Delivery } from '#shared/invitations.ts';
import type { AppContext } from '#server/context.ts';
import type { InvitationRecord } from '#server/db/records/invitation.ts';
import { siteAddress } from '#server/settings/site-address.ts';

/** 32 characters of 62: 190 random bits. */
const tokenLength = 32;

/** The end of a link, and what is stored of it. */
export function newLink({ randomText, secrets }: AppContext): { token: string; hash: string } {
  const token = randomText(tokenLength);
  return { token, hash: hashOf({ secrets }, token) };
}

export function hashOf({ secrets }: Pick<AppContext, 'secrets'>, token: string): string {
  return secrets.hash(`invitation:${token}`);
}

/** The end of the address is never sent to a server by following it, nor to others as a referrer. */
export function addressOf(site: string, token: string): string {
  return `${site}/invitation#${token}`;
}

/** Mails can be sent, and links in them lead somewhere. */
export function canMail({ mail, settings }: Pick<AppContext, 'mail' | 'settings'>): boolean {
  return mail.isConfigured && siteAddress(settings) !== undefined;
}

/** @throws {AppError} `mail_unconfigured`, `server_address_required` */
export function requireDelivery({ mail, settings }: AppContext, delivery: Delivery): void {
  if (delivery === 'link') return;
  if (!mail.isConfigured) throw new AppError('mail_unconfigured', {}, { field: 'delivery' });
  if (siteAddress(settings) === undefined) throw new AppError('server_address_required', {}, { field: 'delivery' });
}

type LinkFields = Pick<InvitationRecord, 'is_mailed'> & Partial<InvitationRecord>;

/** What a record is given for a new link: with a mail, the link is made when that leaves. */
export function linkFields(context: AppContext, delivery: Delivery): { fields: LinkFields; token: string | undefined } {
  if (delivery === 'mail') return { fields: { is_mailed: true, mail_due_at: context.now(), mail_tries: 0 }, token: undefined };
  const { token, hash } = newLink(context);
  return { fields: { is_mailed: false, token_hash: hash }, token };
}
