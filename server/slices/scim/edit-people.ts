// Creates, edits and removes members by SCIM. Accounts are created and linked within the organisation's domains only, and nothing of an existing account
// is changed: a client decides on the membership.
import { z } from 'zod';
import { displayNameProblem, tidyName, usernameProblem } from '#shared/account-rules.ts';
import { AppError } from '#shared/errors.ts';
import { displayNameLimit, usernameLimit } from '#shared/user.ts';
import { announceOrganisation } from '#server/accounts/announce-organisation.ts';
import { AlreadyBound, insertAccount } from '#server/accounts/create-account.ts';
import { emailProblem, longestEmail } from '#server/accounts/email-rules.ts';
import { findByEmail, foldEmail } from '#server/accounts/identities.ts';
import { endMembership, insertMember, isInDomains, requireOtherOwner, withOrganisationLock } from '#server/accounts/members.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { type Change, editRecord } from '#server/db/edit-record.ts';
import type { OrganisationMemberRecord, OrganisationRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { isSeen, nameKey, personNamed, readPerson, type ScimPerson } from './people.ts';
import { booleanIn, isObject, memberOf, type PatchStep, textIn } from './read-patch.ts';
import { refuse } from './scim-error.ts';

/** Accounts that one organisation may create in a day. */
const accountLimit = { count: 10_000, windowSeconds: 86_400 };
const nameAttempts = 20;
const address = z.email();

/** What a client decides on a member. Undefined: unchanged; null: none. */
interface Wanted {
  userName?: string | undefined;
  externalId?: string | null | undefined;
  active?: boolean | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/** @throws {ScimError} `invalidValue`, `uniqueness` */
export async function createPerson(context: AppContext, organisation: OrganisationRecord, body: Body): Promise<ScimPerson> {
  const { userName, externalId, active } = wantedIn(body);
  if (userName === undefined) return refuse(400, 'userName is required', 'invalidValue');
  const email = emailOf(organisation, body, userName);
  await requireFree(context, organisation, userName);
  const user = await accountOf(context, organisation, { email, name: displayNameIn(body) });
  const member = await withOrganisationLock(context, organisation.id, async () => {
    const known = await context.db.collection('organisation_members').first({ organisation_id: organisation.id, user_id: user.id });
    if (known !== null) return refuse(409, 'This person is a member already', 'uniqueness');
    return uniquely(() =>
      insertMember(context, organisation.id, {
        user_id: user.id,
        role: organisation.domain_role,
        team_id: 0,
        source: 'scim',
        invited_by: 0,
        scim_name: userName,
        scim_key: nameKey(organisation, userName),
        ...(externalId == null ? {} : { external_id: externalId }),
        ...(active === false ? { suspended: true } : {}),
      }),
    );
  });
  return { member, user };
}

/** PUT: what is absent becomes its default. @throws {ScimError} as `createPerson` */
export function replacePerson(context: AppContext, organisation: OrganisationRecord, id: string, body: Body): Promise<ScimPerson> {
  const { userName, externalId = null, active = true } = wantedIn(body);
  if (userName === undefined) return refuse(400, 'userName is required', 'invalidValue');
  return changePerson(context, organisation, id, { userName, externalId, active });
}

/** @throws {ScimError} `invalidValue`, `mutability`, `uniqueness` */
export function patchPerson(
  context: AppContext,
  organisation: OrganisationRecord,
  id: string,
  steps: readonly PatchStep[],
): Promise<ScimPerson> {
  const wanted: Wanted = {};
  for (const { op, path, value } of steps) {
    const isRemoval = op === 'remove';
    if (path === 'active') wanted.active = isRemoval ? true : booleanIn('active', value);
    else if (path === 'externalid') wanted.externalId = isRemoval ? null : textIn('externalId', value);
    else if (path === 'username')
      wanted.userName = isRemoval ? refuse(400, 'userName is required', 'mutability') : textIn('userName', value);
    // Others are the person's, or nothing that is stored.
  }
  return changePerson(context, organisation, id, wanted);
}

/** The keys become disabled ones of service accounts: no person decides that they continue without the limits of the member. @throws {ScimError} 404 */
export async function removePerson(context: AppContext, organisation: OrganisationRecord, id: string): Promise<void> {
  const { user } = await readPerson(context, organisation, id);
  await endMembership(context, { organisationId: organisation.id, userId: user.id, heir: 0, keys: 'disable', actorId: 0 });
}

async function changePerson(context: AppContext, organisation: OrganisationRecord, id: string, wanted: Wanted): Promise<ScimPerson> {
  const { user } = await readPerson(context, organisation, id);
  return withOrganisationLock(context, organisation.id, async () => {
    const { member } = await readPerson(context, organisation, id);
    const { userName, externalId, active } = wanted;
    if (userName !== undefined && nameKey(organisation, userName) !== nameKey(organisation, member.scim_name ?? user.email)) {
      await requireFree(context, organisation, userName);
    }
    if (active === false && member.role === 'owner' && member.suspended !== true) await requireOtherOwner(context, member);
    const unset: NonNullable<Change<OrganisationMemberRecord>['unset']>[number][] = [];
    if (active === true) unset.push('suspended');
    if (externalId === null) unset.push('external_id');
    const set: Partial<OrganisationMemberRecord> = {
      ...(active === false ? { suspended: true } : {}),
      ...(externalId == null ? {} : { external_id: externalId }),
      ...(userName === undefined ? {} : { scim_name: userName, scim_key: nameKey(organisation, userName) }),
    };
    const edited = await uniquely(() => editRecord(context, 'organisation_members', { id: member.id, change: () => ({ set, unset }) }));
    if (edited === null) return refuse(404, `There is no user ${id}`);
    await announceOrganisation(context, organisation.id);
    return { member: edited.after, user };
  });
}

/** @throws {ScimError} `uniqueness` */
async function requireFree(context: AppContext, organisation: OrganisationRecord, userName: string): Promise<void> {
  if ((await personNamed(context, organisation, userName)) !== null) refuse(409, 'This userName is a member already', 'uniqueness');
}

async function uniquely<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof UniqueConflict) return refuse(409, 'This userName is a member already', 'uniqueness');
    throw failure;
  }
}

function wantedIn(body: Body): Wanted {
  const [userName, externalId, active] = ['userName', 'externalId', 'active'].map((name) => memberOf(body, name));
  return {
    userName: userName == null ? undefined : textIn('userName', userName),
    externalId: externalId == null || externalId === '' ? undefined : textIn('externalId', externalId),
    active: active == null ? undefined : booleanIn('active', active),
  };
}

/** The primary address, the first one, or the name. @throws {ScimError} `invalidValue` */
function emailOf(organisation: OrganisationRecord, body: Body, userName: string): string {
  const given = memberOf(body, 'emails');
  const entries = Array.isArray(given) ? given.filter(isObject) : [];
  const chosen = entries.find((entry) => memberOf(entry, 'primary') === true) ?? entries[0];
  const value = chosen === undefined ? userName : memberOf(chosen, 'value');
  const email = typeof value === 'string' ? value.trim() : '';
  if (!address.safeParse(email).success || email.length > longestEmail)
    return refuse(400, 'The address of the user is invalid', 'invalidValue');
  if (!isInDomains(organisation, email)) {
    return refuse(400, 'The address of the user is in no domain of the organisation', 'invalidValue');
  }
  return email;
}

function displayNameIn(body: Body): string {
  const name = memberOf(body, 'name');
  const parts = isObject(name) ? ['givenName', 'familyName'].map((part) => memberOf(name, part)) : [];
  const candidates = [memberOf(body, 'displayName'), isObject(name) ? memberOf(name, 'formatted') : '', parts.filter(Boolean).join(' ')];
  const found = candidates.filter((candidate) => typeof candidate === 'string').find((candidate) => candidate.trim() !== '');
  const tidied = tidyName(
    Array.from(found ?? '')
      .slice(0, displayNameLimit)
      .join(''),
  );
  return displayNameProblem(tidied) === undefined ? tidied : '';
}

/** Account of the address, or a new one without a password, and without bonuses. @throws {ScimError} `uniqueness`, `invalidValue` */
async function accountOf(
  context: AppContext,
  organisation: OrganisationRecord,
  { email, name }: { email: string; name: string },
): Promise<UserRecord> {
  for (let attempt = 1; ; attempt += 1) {
    const known = await findByEmail(context, email);
    if (known !== null) {
      if (!isSeen(organisation, known)) return refuse(409, 'The address belongs to an account that cannot be linked', 'uniqueness');
      return known;
    }
    if (emailProblem(context.settings, email) !== undefined)
      return refuse(400, 'This site accepts no account with the address', 'invalidValue');
    await enforceLimit(context, { key: `scim-accounts:${organisation.id}`, ...accountLimit });
    const [local = ''] = email.split('@');
    const isOwnName = attempt === 1 && usernameProblem(local) === undefined;
    try {
      return await insertAccount(context, {
        username: isOwnName ? tidyName(local) : `user_${context.randomText(usernameLimit - 'user_'.length).toLowerCase()}`,
        displayName: name,
        passwordHash: '',
        bound: { email, email_folded: foldEmail(email), provisioned_by: organisation.id },
        actorId: 0,
      });
    } catch (failure) {
      const isAgain = failure instanceof AlreadyBound || (failure instanceof AppError && failure.code === 'username_taken');
      if (!isAgain || attempt === nameAttempts) throw failure;
    }
  }
}
