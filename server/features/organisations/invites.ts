// Invitations to an organisation, by mail or by a link for one person. Any account with the link can join; a mail proves no address.
import type { BodyOf } from '#shared/contract.ts';
import { inviteDays, mostOpenInvites, type organisationApi } from '#shared/organisations.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { mayChangeRole, mayInOrganisation, type OrganisationRole } from '#shared/organisation-roles.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import { addMember, requireTeam, withOrganisationLock } from '#server/accounts/members.ts';
import { type LimitedRecord, storedLimits } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationInviteRecord, OrganisationMemberRecord, OrganisationRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { readMember } from '#server/http/membership.ts';
import { enforceLimit, enforceSourceLimit } from '#server/http/rate-limit.ts';
import type { MailMessage } from '#server/notify/mail.ts';
import { siteAddress } from '#server/settings/site-address.ts';
import { requireShortList } from './list-bounds.ts';
import { inviteMail } from './invite-mail.ts';
import type { Reached } from './reach.ts';

/** 32 characters of 62: 190 random bits. */
const tokenLength = 32;
const wrongLimit = { count: 30, windowSeconds: 1200 };
/** Mails that one organisation may send in a day, and one person for all organisations. */
const mailLimit = { count: 500, windowSeconds: 86_400 };
/** Mails that one address gets in a day from all organisations. */
const recipientLimit = { count: 5, windowSeconds: 86_400 };

type Requested = BodyOf<typeof organisationApi.invite>;

export interface Invited {
  invites: OrganisationInviteRecord[];
  /** Only if no addresses were given. */
  link?: string;
  /** Only if they are delivered by the inviter. */
  links?: { email: string; link: string }[];
}

/**
 * @throws {AppError} `organisation_right_missing`, `team_unknown`, `organisation_invites_limit`, `mail_unconfigured`, `server_address_required`, `invalid_field`,
 * `rate_limited`
 */
export async function invite(context: AppContext, reached: Reached, requested: Requested, language: Language): Promise<Invited> {
  const { organisation, person } = reached;
  const { role, delivery = 'mail' } = requested;
  const isMailed = requested.emails.length > 0 && delivery === 'mail';
  if (!mayChangeRole(reached.member.role, role)) throw new AppError('organisation_right_missing', {}, { field: 'role' });
  const site = siteAddress(context.settings);
  if (isMailed && !context.mail.isConfigured) throw new AppError('mail_unconfigured', {}, { field: 'emails' });
  if (isMailed && site === undefined) throw new AppError('server_address_required', {}, { field: 'emails' });
  const emails = [...new Set(requested.emails.map((email) => email.trim().toLowerCase()))];
  if (!emails.every((email) => /^[^\s@]+@[^\s@]+$/.test(email))) throw invalidField('emails', fieldRules.invalid);
  if (isMailed) {
    for (const sender of [`organisation-mails:${organisation.id}`, `organisation-mails-of:${person.id}`]) {
      await enforceLimit(context, { key: sender, hits: emails.length, ...mailLimit });
    }
  }
  const created = await withOrganisationLock(context, organisation.id, async () => {
    const { team_id: teamId = 0 } = requested;
    if (teamId !== 0) await requireTeam(context, organisation.id, teamId);
    const invites = context.db.collection('organisation_invites');
    const open = await invites.count({ organisation_id: organisation.id }, mostOpenInvites);
    const count = Math.max(1, emails.length);
    if (open + count > mostOpenInvites) throw new AppError('organisation_invites_limit', { limit: mostOpenInvites });
    const limits = storedLimits(requested);
    await requireShortList(context, 'organisation_invites', organisation.id, { fields: limits, count });
    const list: { record: OrganisationInviteRecord; token: string }[] = [];
    for (const email of emails.length === 0 ? [''] : emails) {
      const token = context.randomText(tokenLength);
      const record = await newInvite(context, { organisation, person, email, role, teamId, token, limits });
      await invites.insert(record);
      list.push({ record, token });
    }
    return list;
  });
  const linkOf = (token: string): string => `${site ?? ''}/organisation-invite#${token}`;
  const [first] = created;
  if (emails.length === 0 && first !== undefined) return { invites: [first.record], link: linkOf(first.token) };
  if (!isMailed) {
    return {
      invites: created.map(({ record }) => record),
      links: created.map(({ record, token }) => ({ email: record.email, link: linkOf(token) })),
    };
  }
  const invites: OrganisationInviteRecord[] = [];
  for (const { record, token } of created) {
    const text = inviteMail({
      language,
      organisation: organisation.name,
      inviter: person.display_name === '' ? person.username : person.display_name,
      systemName: context.settings.get('SystemName'),
      link: linkOf(token),
      expires: record.expires_at,
    });
    const mail = await sendInvite(context, { to: record.email, ...text }).then(
      () => 'sent' as const,
      () => 'failed' as const,
    );
    invites.push((await context.db.collection('organisation_invites').patch({ id: record.id }, { set: { mail } })) ?? record);
  }
  return { invites };
}

/** @throws {AppError} `rate_limited` for an address that has got many of late, and as `Mail.send` */
async function sendInvite(context: AppContext, message: MailMessage): Promise<void> {
  await enforceLimit(context, {
    key: `organisation-mail-to:${context.secrets.hash(`invited:${foldEmail(message.to)}`)}`,
    ...recipientLimit,
  });
  await context.mail.send(message);
}

async function newInvite(
  context: AppContext,
  given: {
    organisation: OrganisationRecord;
    person: UserRecord;
    email: string;
    role: OrganisationRole;
    teamId: number;
    token: string;
    limits: LimitedRecord;
  },
): Promise<OrganisationInviteRecord> {
  const now = Math.floor(context.now() / 1000);
  return {
    id: await context.db.nextId('organisation_invites'),
    organisation_id: given.organisation.id,
    email: given.email,
    role: given.role,
    team_id: given.teamId,
    token_hash: hashOf(context, given.token),
    created_by: given.person.id,
    created_at: now,
    expires_at: now + inviteDays * 86_400,
    mail: 'none',
    ...given.limits,
    revision: 1,
  };
}

/** @throws {AppError} `organisation_invite_invalid`, `rate_limited` */
export async function findInvite(context: AppContext, facts: RequestFacts, token: string): Promise<OrganisationInviteRecord> {
  const invites = context.db.collection('organisation_invites');
  const found = token === '' ? null : await invites.first({ token_hash: hashOf(context, token) });
  if (found !== null && found.expires_at * 1000 > context.now() && (await isStillGiven(context, found))) return found;
  await enforceSourceLimit(context, facts, { key: 'organisation-invite-from', ...wrongLimit });
  throw new AppError('organisation_invite_invalid');
}

/** Reports whether the inviter may still give the role: a link outlives neither their membership nor their rights. */
async function isStillGiven(
  { db }: AppContext,
  { organisation_id: id, created_by: inviter, role }: OrganisationInviteRecord,
): Promise<boolean> {
  const member = await readMember(db, id, inviter);
  return member !== null && mayInOrganisation(member.role, 'manage') && mayChangeRole(member.role, role);
}

/** Joins by an invitation, which ends. @throws {AppError} `organisation_invite_invalid`, `organisation_members_limit` */
export async function acceptInvite(
  context: AppContext,
  person: UserRecord,
  found: OrganisationInviteRecord,
): Promise<OrganisationMemberRecord> {
  const { id, organisation_id: organisationId, email, role, team_id, created_by, rate_limits, budgets } = found;
  const limits = { ...(rate_limits === undefined ? {} : { rate_limits }), ...(budgets === undefined ? {} : { budgets }) };
  // One of several concurrent requests removes it; the role of an existing member is unchanged.
  const known = await context.db.collection('organisation_members').first({ organisation_id: organisationId, user_id: person.id });
  if (known !== null) return known;
  const invites = context.db.collection('organisation_invites');
  if ((await invites.remove({ id })) === 0) throw new AppError('organisation_invite_invalid');
  try {
    const invited = { source: 'invite' as const, invited_by: created_by, ...(email === '' ? {} : { invited_email: email }) };
    const joining = { user_id: person.id, role, team_id, ...invited, ...limits };
    return await addMember(context, organisationId, joining);
  } catch (failure) {
    // Of an organisation that is full now, say: it works again when there is room.
    if (failure instanceof AppError) await invites.insert(found);
    throw failure;
  }
}

/** Job: removes what has expired. */
export function sweepInvites({ db, now }: AppContext): Promise<number> {
  return db.collection('organisation_invites').remove({ expires_at: { lt: Math.floor(now() / 1000) } });
}

function hashOf({ secrets }: Pick<AppContext, 'secrets'>, token: string): string {
  return secrets.hash(`organisation-invite:${token}`);
}
