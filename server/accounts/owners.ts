// Owners of organisations whose accounts are active: an organisation without one is ownerless. Its keys stop, because the ban of a person would mean little if
// the person's organisation continued.
import { AppError } from '#shared/errors.ts';
import { mayActOn, Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { AppContext } from '#server/context.ts';
import type { Database } from '#server/db/database.ts';
import type { OrganisationMemberRecord, OrganisationRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { announceOrganisation } from './announce-organisation.ts';

/** Owners that are compared; an organisation has few. */
const mostOwners = 1000;

/** Reports whether the organisation has an active owner other than those who leave. */
export async function hasActiveOwner(
  db: Database,
  organisationId: number,
  leaving: readonly OrganisationMemberRecord[] = [],
): Promise<boolean> {
  return (await activeOwners(db, organisationId, leaving)).length > 0;
}

/** Active owner with whom the organisation counts where the site limits each user: its founder, else the one who joined first. Undefined without one. */
export async function countedOwner(db: Database, { id, founded_by: founder }: OrganisationRecord): Promise<number | undefined> {
  const owners = await activeOwners(db, id);
  return owners.includes(founder) ? founder : owners[0];
}

/**
 * Reports whether the actor may act on all active owners of an organisation: an administrator would take one over from the super administrator. True for
 * accounts of people.
 * @param isByOwner whether an owner may, as on what is theirs
 */
export async function isAboveOwners(
  { db }: Pick<AppContext, 'db'>,
  actor: Pick<UserRecord, 'id' | 'role'>,
  { id, kind }: Pick<UserRecord, 'id' | 'kind'>,
  isByOwner = false,
): Promise<boolean> {
  if (kind !== 'organisation' || actor.role >= Role.root) return true;
  const owners = await activeOwners(db, id);
  if (isByOwner && owners.includes(actor.id)) return true;
  const people = owners.length === 0 ? [] : await db.collection('users').find({ id: { in: owners } });
  return people.every(({ role }) => mayActOn(actor.role, role));
}

/** @throws {AppError} `user_edit_denied` unless `isAboveOwners` */
export async function requireAboveOwners(...judged: Parameters<typeof isAboveOwners>): Promise<void> {
  if (!(await isAboveOwners(...judged))) throw new AppError('user_edit_denied');
}

/** User ids, in the order in which they joined. */
async function activeOwners(db: Database, organisationId: number, leaving: readonly OrganisationMemberRecord[] = []): Promise<number[]> {
  const owners = await db
    .collection('organisation_members')
    .find({ organisation_id: organisationId, role: 'owner', suspended: { exists: false } }, { sort: [['id', 1]], limit: mostOwners });
  const ids = owners.filter(({ id }) => leaving.every((member) => member.id !== id)).map(({ user_id: userId }) => userId);
  if (ids.length === 0) return [];
  const active = await db.collection('users').find({ id: { in: ids }, status: UserStatus.active, DeletedAt: null });
  const known = new Set(active.map(({ id }) => id));
  return ids.filter((id) => known.has(id));
}

/** Reports whether the person is an active owner of the organisation. */
export async function isActiveOwner(db: Database, organisationId: number, userId: number): Promise<boolean> {
  const [member, user] = await Promise.all([
    db.collection('organisation_members').first({ organisation_id: organisationId, user_id: userId }),
    db.collection('users').get(userId),
  ]);
  return member?.role === 'owner' && member.suspended !== true && user?.status === UserStatus.active && user.DeletedAt === null;
}

/** Makes every process read again whether the organisations of a person have an active owner. */
export async function announceOwned(context: Pick<AppContext, 'db' | 'changes'>, userId: number): Promise<void> {
  for await (const member of context.db.collection('organisation_members').each({ user_id: userId, role: 'owner' }))
    await announceOrganisation(context, member.organisation_id);
}
