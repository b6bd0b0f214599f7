// Members of organisations, and calls of the console that a member makes on behalf of one.
import { AppError } from '#shared/errors.ts';
import type { Endpoint } from '#shared/contract.ts';
import { organisationHeader } from '#shared/organisation-header.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { Database } from '#server/db/database.ts';
import type { OrganisationMemberRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Caller, RequestFacts } from '#server/http/call.ts';

/** A person who acts for an organisation. */
export interface Membership {
  person: UserRecord;
  member: OrganisationMemberRecord;
}

/** Returns the active membership; null if there is none. */
export async function readMember(db: Database, organisationId: number, userId: number): Promise<OrganisationMemberRecord | null> {
  const member = await db.collection('organisation_members').first({ organisation_id: organisationId, user_id: userId });
  return member === null || member.suspended === true ? null : member;
}

/** Id in a value of the header: `org-5`. Undefined without the header, null for another value. */
export function organisationIn(header: string | null): number | null | undefined {
  const value = header?.trim() ?? '';
  if (value === '') return undefined;
  const id = /^org-(\d{1,15})$/.exec(value)?.[1];
  return id === undefined ? null : Number(id);
}

/**
 * Returns the caller with the account of the organisation that the request names; the same caller if it names none.
 * @throws {AppError} `organisation_unknown` also for one of which the caller is no member, `organisation_right_missing`, `organisation_not_here`
 */
export async function onBehalf(
  { db }: { db: Database },
  caller: Caller,
  { facts, endpoint }: { facts: Pick<RequestFacts, 'headers'>; endpoint: Pick<Endpoint, 'organisation'> },
): Promise<Caller> {
  const id = organisationIn(facts.headers.get(organisationHeader));
  if (id === undefined) return caller;
  const person = caller.user;
  const [member, account] = id === null ? [null, null] : await Promise.all([readMember(db, id, person.id), db.collection('users').get(id)]);
  if (member === null || account === null || account.DeletedAt !== null || account.kind !== 'organisation') {
    throw new AppError('organisation_unknown');
  }
  if (account.status !== UserStatus.active) throw new AppError('organisation_disabled');
  if (endpoint.organisation === undefined) throw new AppError('organisation_not_here');
  if (!mayInOrganisation(member.role, endpoint.organisation)) throw new AppError('organisation_right_missing');
  return { ...caller, user: account, membership: { person, member } };
}
