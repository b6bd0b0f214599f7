// People whom a client of SCIM sees: members of its organisation whose verified address is in one of the organisation's domains.
import { findByEmail } from '#server/accounts/identities.ts';
import { isInDomains } from '#server/accounts/members.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationMemberRecord, OrganisationRecord, TeamRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { ScimFilter } from './read-filter.ts';
import { refuse } from './scim-error.ts';

export interface ScimPerson {
  member: OrganisationMemberRecord;
  user: UserRecord;
}

const readAtOnce = 500;

/** @throws {ScimError} 404 */
export async function readPerson(context: AppContext, organisation: OrganisationRecord, id: string): Promise<ScimPerson> {
  const person = /^\d{1,15}$/.test(id) ? await personOf(context, organisation, Number(id)) : null;
  return person ?? refuse(404, `There is no user ${id.slice(0, 40)}`);
}

/** People in the order of their membership; of all, or of those that the filter allows. @throws {ScimError} `invalidFilter` */
export async function findPeople(
  context: AppContext,
  organisation: OrganisationRecord,
  filter: ScimFilter | undefined,
): Promise<ScimPerson[]> {
  if (filter === undefined) return allPeople(context, organisation);
  const { attribute } = filter;
  const value = String(filter.value);
  switch (attribute) {
    case 'username':
      return listed(await personNamed(context, organisation, value));
    case 'externalid': {
      const members = await context.db
        .collection('organisation_members')
        .find({ external_id: value, organisation_id: organisation.id }, { limit: readAtOnce });
      return joined(context, organisation, members);
    }
    case 'id':
      return listed(/^\d{1,15}$/.test(value) ? await personOf(context, organisation, Number(value)) : null);
    case 'emails':
    case 'emails.value':
      return listed(await personAt(context, organisation, value));
    case 'active':
      return (await allPeople(context, organisation)).filter(({ member }) => (member.suspended !== true) === (filter.value === true));
    default:
      return refuse(400, 'Users can be filtered by userName, externalId, id, emails.value and active', 'invalidFilter');
  }
}

/** Person with this `userName`, which is the address for those who have none. */
export async function personNamed(context: AppContext, organisation: OrganisationRecord, name: string): Promise<ScimPerson | null> {
  const member = await context.db.collection('organisation_members').first({ scim_key: nameKey(organisation, name) });
  if (member !== null) return (await joined(context, organisation, [member]))[0] ?? null;
  const person = await personAt(context, organisation, name);
  return person?.member.scim_name === undefined ? person : null;
}

/** Key of a `userName`, which is not case-sensitive. */
export function nameKey({ id }: Pick<OrganisationRecord, 'id'>, name: string): string {
  return `${id}:${name.normalize('NFC').trim().toLowerCase()}`;
}

/** Members of a team whom the client sees. */
export async function peopleOfTeam(context: AppContext, organisation: OrganisationRecord, { id }: TeamRecord): Promise<ScimPerson[]> {
  const members: OrganisationMemberRecord[] = [];
  for await (const member of context.db.collection('organisation_members').each({ team_id: id, organisation_id: organisation.id })) {
    members.push(member);
  }
  return joined(context, organisation, members);
}

async function allPeople(context: AppContext, organisation: OrganisationRecord): Promise<ScimPerson[]> {
  const members: OrganisationMemberRecord[] = [];
  for await (const member of context.db.collection('organisation_members').each({ organisation_id: organisation.id })) members.push(member);
  return joined(context, organisation, members);
}

async function personOf(context: AppContext, organisation: OrganisationRecord, userId: number): Promise<ScimPerson | null> {
  const member = await context.db.collection('organisation_members').first({ organisation_id: organisation.id, user_id: userId });
  return member === null ? null : ((await joined(context, organisation, [member]))[0] ?? null);
}

async function personAt(context: AppContext, organisation: OrganisationRecord, email: string): Promise<ScimPerson | null> {
  const user = isInDomains(organisation, email) ? await findByEmail(context, email) : null;
  return user === null ? null : personOf(context, organisation, user.id);
}

async function joined(
  { db }: AppContext,
  organisation: OrganisationRecord,
  members: readonly OrganisationMemberRecord[],
): Promise<ScimPerson[]> {
  const users = new Map<number, UserRecord>();
  for (let at = 0; at < members.length; at += readAtOnce) {
    const ids = members.slice(at, at + readAtOnce).map(({ user_id: id }) => id);
    for (const user of await db.collection('users').find({ id: { in: ids } })) users.set(user.id, user);
  }
  return members.flatMap((member) => {
    const user = users.get(member.user_id);
    return user !== undefined && isSeen(organisation, user) ? [{ member, user }] : [];
  });
}

/** Whether the account's verified address is in a domain of the organisation. */
export function isSeen(organisation: OrganisationRecord, { email, email_folded: verified, DeletedAt: deleted }: UserRecord): boolean {
  return deleted === null && verified !== undefined && isInDomains(organisation, email);
}

function listed(person: ScimPerson | null): ScimPerson[] {
  return person === null ? [] : [person];
}
