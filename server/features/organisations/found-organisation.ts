// Founding and ending of organisations. The record of the organisation is stored first; a repetition with the same reference completes what is missing.
import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import { deleteAccount } from '#server/accounts/end-account.ts';
import { withOrganisationLock } from '#server/accounts/members.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { OrganisationRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf, emptyMoney } from '#server/money/account.ts';
import { tidyText } from './tidy-text.ts';

/** Organisations that one person may own, and that exist of those the person founded. */
const mostFounded = 10;

/** @throws {AppError} `organisation_creation_denied`, `organisation_limit_reached`, `organisation_unknown` for one that has ended, `invalid_field` */
export function foundOrganisation(
  context: AppContext,
  founder: UserRecord,
  { name, ref }: { name: string; ref: string },
): Promise<OrganisationRecord> {
  const who = context.settings.get('OrganisationFounders');
  if (who === 'nobody' || (who === 'admins' && founder.role < Role.admin)) throw new AppError('organisation_creation_denied');
  const tidied = tidyText('name', name);
  return withEditLock(context, `founder:${founder.id}`, () => found(context, founder, { name: tidied, ref: `${founder.id}:${ref}` }));
}

async function found(context: AppContext, founder: UserRecord, { name, ref }: { name: string; ref: string }): Promise<OrganisationRecord> {
  const organisations = context.db.collection('organisations');
  const created = Math.floor(context.now() / 1000);
  const known = await organisations.first({ found_ref: ref });
  const record: OrganisationRecord = known ?? {
    id: await context.db.nextId('users'),
    name,
    policy: '',
    domains: '',
    domain_role: 'developer',
    founded_by: founder.id,
    found_ref: ref,
    created_time: created,
    DeletedAt: null,
    revision: 1,
  };
  if (known === null) {
    // Handing one over makes no room.
    const founded = await organisations.count({ founded_by: founder.id, DeletedAt: null }, mostFounded);
    const owned = await context.db.collection('organisation_members').count({ user_id: founder.id, role: 'owner' }, mostFounded);
    if (Math.max(founded, owned) >= mostFounded && founder.role < Role.admin)
      throw new AppError('organisation_limit_reached', { limit: mostFounded });
    await organisations.insert(record);
  }
  if (record.DeletedAt !== null) throw new AppError('organisation_unknown');
  await insertOnce(() => context.db.collection('users').insert(accountOf(record, founder)));
  const members = context.db.collection('organisation_members');
  // With members the founding is complete: a founder who has left would return as an owner.
  if ((await members.first({ organisation_id: record.id })) !== null) return record;
  const id = await context.db.nextId('organisation_members');
  await insertOnce(() =>
    members.insert({
      id,
      organisation_id: record.id,
      user_id: founder.id,
      role: 'owner',
      team_id: 0,
      source: 'founder',
      invited_by: founder.id,
      joined_at: created,
      revision: 1,
    }),
  );
  return record;
}

async function insertOnce(insert: () => Promise<unknown>): Promise<void> {
  try {
    await insert();
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
  }
}

/** The account: without a password, an address or an identity, so it allows no sign-in. Usernames of people have no colon. */
function accountOf({ id, name, created_time }: OrganisationRecord, { group }: UserRecord): UserRecord {
  return {
    id,
    kind: 'organisation',
    username: `org:${id}`,
    username_folded: `org:${id}`,
    password_hash: '',
    display_name: name,
    role: Role.user,
    status: UserStatus.active,
    email: '',
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
    quota: 0,
    used_quota: 0,
    request_count: 0,
    group,
    aff_count: 0,
    aff_quota: 0,
    aff_history_quota: 0,
    inviter_id: 0,
    DeletedAt: null,
    setting: '',
    created_time,
    revision: 1,
    ...emptyMoney(),
  };
}

/**
 * Deletes an organisation without a balance. Its tokens end at once; its records stay for the books. What it is credited later, such as the refund of a batch,
 * goes to the owner who deleted it.
 * @throws {AppError} `organisation_has_balance`
 */
export function endOrganisation(context: AppContext, { id }: OrganisationRecord, actorId: number): Promise<void> {
  // Transfers have the same lock: what has just arrived is in the balance.
  return withOrganisationLock(context, id, () => end(context, id, actorId));
}

/** Job: completes ends that were cut short after the account had ended: its members would have one that cannot be used. */
export async function completeEnds(context: AppContext): Promise<number> {
  const { db } = context;
  let count = 0;
  for await (const { id } of db.collection('organisations').each({ DeletedAt: null, ended_by: { exists: true } })) {
    await withOrganisationLock(context, id, async () => {
      const [organisation, account] = await Promise.all([db.collection('organisations').get(id), db.collection('users').get(id)]);
      // One with a balance was not ended, and an end that was running has come to its own.
      if (organisation?.ended_by === undefined || organisation.DeletedAt !== null || account?.DeletedAt == null) return;
      await end(context, id, organisation.ended_by);
      count += 1;
    });
  }
  return count;
}

async function end(context: AppContext, id: number, actorId: number): Promise<void> {
  // Before the account ends: what is credited to an ended one goes to this owner (`return-balances.ts`).
  await editRecord(context, 'organisations', { id, change: () => ({ set: { ended_by: actorId } }) });
  await deleteAccount(context, id, (account) => {
    if (balanceOf(account) > 0) throw new AppError('organisation_has_balance');
  }).catch((failure: unknown) => {
    // An earlier attempt was cut short.
    if (!(failure instanceof AppError) || failure.code !== 'user_not_found') throw failure;
  });
  const { db } = context;
  await db.collection('organisation_invites').remove({ organisation_id: id });
  await db.collection('organisation_members').remove({ organisation_id: id });
  await db.collection('organisation_leavers').remove({ organisation_id: id });
  const deletedAt = new Date(context.now()).toISOString();
  await editRecord(context, 'organisations', {
    id,
    change: () => ({ set: { DeletedAt: deletedAt, domains: '' }, unset: ['scim_hash', 'scim_since', 'scim_by'] }),
  });
}
