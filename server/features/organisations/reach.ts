// Who may do what in an organisation: its members, by their roles. Administrators of the site have calls of their own, and never act on behalf of one.
import { AppError } from '#shared/errors.ts';
import { mayInOrganisation, type OrganisationRight } from '#shared/organisation-roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationMemberRecord, OrganisationRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type Caller, signedIn } from '#server/http/call.ts';
import { readMember } from '#server/http/membership.ts';

/** An organisation with its account. */
export interface StoredOrganisation {
  organisation: OrganisationRecord;
  account: UserRecord;
}

export interface Reached extends StoredOrganisation {
  person: UserRecord;
  member: OrganisationMemberRecord;
}

/** @throws {AppError} `organisation_unknown` */
export async function readOrganisation({ db }: AppContext, id: number): Promise<StoredOrganisation> {
  const [organisation, account] = await Promise.all([db.collection('organisations').get(id), db.collection('users').get(id)]);
  if (organisation === null || organisation.DeletedAt !== null || account === null) throw new AppError('organisation_unknown');
  return { organisation, account };
}

/**
 * Returns the organisation with the caller's part in it. One that an administrator of the site has disabled can be looked at and left, not changed or emptied.
 * @throws {AppError} `organisation_unknown` also if the caller has no part in it, `organisation_right_missing`, `organisation_disabled`
 */
export async function reach(
  { context, caller }: { context: AppContext; caller: Caller | null },
  id: number,
  right: OrganisationRight,
): Promise<Reached> {
  const { user: person } = signedIn({ caller });
  const [stored, member] = await Promise.all([readOrganisation(context, id), readMember(context.db, id, person.id)]);
  if (member === null) throw new AppError('organisation_unknown');
  if (!mayInOrganisation(member.role, right)) throw new AppError('organisation_right_missing');
  if (right !== 'member') requireActive(stored);
  return { ...stored, person, member };
}

/** @throws {AppError} `organisation_disabled` */
export function requireActive({ account }: StoredOrganisation): void {
  if (account.status !== UserStatus.active) throw new AppError('organisation_disabled');
}
