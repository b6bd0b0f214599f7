// Teams by SCIM. A member is in one team: one who is added to a team leaves the former one. Members whom the client does not see stay.
import { mostTeams } from '#shared/organisations.ts';
import { announceOrganisation } from '#server/accounts/announce-organisation.ts';
import { withOrganisationLock } from '#server/accounts/members.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { OrganisationRecord, TeamRecord } from '#server/db/records/organisation.ts';
import { createTeam, editTeam } from '#server/features/organisations/edit-organisation.ts';
import { peopleOfTeam, readPerson } from './people.ts';
import type { ScimFilter } from './read-filter.ts';
import { isObject, memberOf, type PatchStep, textIn } from './read-patch.ts';
import { refuse } from './scim-error.ts';

type Body = Readonly<Record<string, unknown>>;
const longestName = 60;

/** @throws {ScimError} 404 */
export async function readGroup({ db }: AppContext, { id: organisationId }: OrganisationRecord, id: string): Promise<TeamRecord> {
  const team = /^\d{1,15}$/.test(id) ? await db.collection('teams').first({ id: Number(id), organisation_id: organisationId }) : null;
  return team ?? refuse(404, `There is no group ${id.slice(0, 40)}`);
}

/** @throws {ScimError} `invalidFilter` */
export async function findGroups({ db }: AppContext, { id }: OrganisationRecord, filter: ScimFilter | undefined): Promise<TeamRecord[]> {
  const teams = await db.collection('teams').find({ organisation_id: id }, { sort: [['id', 1]], limit: mostTeams });
  if (filter === undefined) return teams;
  const value = String(filter.value);
  const folded = value.toLowerCase();
  const matches: Record<string, (team: TeamRecord) => boolean> = {
    displayname: ({ name }) => name.toLowerCase() === folded,
    externalid: ({ external_id: external }) => external === value,
    id: (team) => String(team.id) === value,
  };
  const isMatch = Object.hasOwn(matches, filter.attribute) ? matches[filter.attribute] : undefined;
  return isMatch === undefined
    ? refuse(400, 'Groups can be filtered by displayName, externalId and id', 'invalidFilter')
    : teams.filter(isMatch);
}

/** @throws {AppError} `team_limit_reached`, `team_name_taken` @throws {ScimError} `invalidValue` */
export async function createGroup(context: AppContext, organisation: OrganisationRecord, body: Body): Promise<TeamRecord> {
  const name = textIn('displayName', memberOf(body, 'displayName'), longestName);
  const ids = idsIn(memberOf(body, 'members') ?? []);
  const externalId = externalIdIn(body);
  for (const id of ids) await readPerson(context, organisation, id);
  const team = await createTeam(context, organisation.id, { name });
  const stored = externalId === undefined ? team : await setExternalId(context, team, externalId);
  await place(context, organisation, team, ids);
  return stored;
}

/** PUT: what is absent becomes its default. */
export async function replaceGroup(context: AppContext, organisation: OrganisationRecord, id: string, body: Body): Promise<TeamRecord> {
  const team = await readGroup(context, organisation, id);
  const name = textIn('displayName', memberOf(body, 'displayName'), longestName);
  const ids = idsIn(memberOf(body, 'members') ?? []);
  const externalId = externalIdIn(body);
  for (const one of ids) await readPerson(context, organisation, one);
  await editTeam(context, team, { name });
  const stored = await setExternalId(context, team, externalId);
  const given = new Set(ids);
  await takeOut(context, organisation, team, (one) => !given.has(one));
  await place(context, organisation, team, ids);
  return stored;
}

/** @throws {ScimError} `invalidValue`, `mutability` */
export async function patchGroup(
  context: AppContext,
  organisation: OrganisationRecord,
  id: string,
  steps: readonly PatchStep[],
): Promise<TeamRecord> {
  const team = await readGroup(context, organisation, id);
  const { joining, isLeaving } = await readMoves(context, organisation, steps);
  for (const { op, path, value } of steps) {
    if (path === 'displayname') {
      if (op === 'remove') return refuse(400, 'displayName is required', 'mutability');
      await editTeam(context, team, { name: textIn('displayName', value, longestName) });
    } else if (path === 'externalid') {
      await setExternalId(context, team, op === 'remove' ? undefined : textIn('externalId', value));
    }
    // Others are nothing that is stored, such as the id that Okta repeats.
  }
  if (isLeaving !== undefined) await takeOut(context, organisation, team, isLeaving);
  await place(context, organisation, team, [...joining]);
  return readGroup(context, organisation, id);
}

interface Moves {
  joining: ReadonlySet<string>;
  /** If undefined, no member leaves. */
  isLeaving: ((userId: string) => boolean) | undefined;
}

/**
 * Returns what all operations on members come to, so that the members of a team are read once and not once per operation.
 * @throws {ScimError} `invalidValue`, 404
 */
async function readMoves(context: AppContext, organisation: OrganisationRecord, steps: readonly PatchStep[]): Promise<Moves> {
  const known = new Set<string>();
  const joining = new Set<string>();
  const named = new Set<string>();
  let doAllLeave = false;
  for (const { op, path, selected, value } of steps) {
    if (path !== 'members') continue;
    // Okta selects by the path, Entra ID by values; without either, all leave.
    const ids = op === 'remove' ? (selected ?? (value == null ? undefined : idsIn(value))) : idsIn(value);
    if (ids === undefined || op === 'replace') {
      doAllLeave = true;
      joining.clear();
    }
    for (const id of ids ?? []) {
      if (op === 'remove') {
        joining.delete(id);
        named.add(id);
        continue;
      }
      if (!known.has(id)) await readPerson(context, organisation, id);
      known.add(id);
      joining.add(id);
    }
  }
  const isLeaving = (id: string) => !joining.has(id) && (doAllLeave || named.has(id));
  return { joining, isLeaving: doAllLeave || named.size > 0 ? isLeaving : undefined };
}

async function setExternalId(context: AppContext, { id }: TeamRecord, externalId: string | undefined): Promise<TeamRecord> {
  const edited = await editRecord(context, 'teams', {
    id,
    change: () => (externalId === undefined ? { set: {}, unset: ['external_id'] } : { set: { external_id: externalId } }),
  });
  return edited?.after ?? refuse(404, `There is no group ${id}`);
}

async function place(context: AppContext, organisation: OrganisationRecord, team: TeamRecord, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await withOrganisationLock(context, organisation.id, async () => {
    await readGroup(context, organisation, String(team.id));
    for (const id of ids) {
      const { member } = await readPerson(context, organisation, id);
      if (member.team_id !== team.id) await moveTo(context, member.id, team.id);
    }
    await announceOrganisation(context, organisation.id);
  });
}

async function takeOut(
  context: AppContext,
  organisation: OrganisationRecord,
  team: TeamRecord,
  isLeaving: (userId: string) => boolean,
): Promise<void> {
  await withOrganisationLock(context, organisation.id, async () => {
    const people = await peopleOfTeam(context, organisation, team);
    const leaving = people.filter(({ user }) => isLeaving(String(user.id)));
    for (const { member } of leaving) await moveTo(context, member.id, 0);
    if (leaving.length > 0) await announceOrganisation(context, organisation.id);
  });
}

function moveTo(context: AppContext, memberId: number, teamId: number): Promise<unknown> {
  return editRecord(context, 'organisation_members', { id: memberId, change: () => ({ set: { team_id: teamId } }) });
}

function externalIdIn(body: Body): string | undefined {
  const given = memberOf(body, 'externalId');
  return given == null || given === '' ? undefined : textIn('externalId', given);
}

/** @throws {ScimError} `invalidValue` */
function idsIn(value: unknown): string[] {
  const entries = Array.isArray(value) ? value : [value];
  const ids = entries.map((entry: unknown) => (isObject(entry) ? memberOf(entry, 'value') : entry));
  if (!ids.every((id): id is string => typeof id === 'string')) return refuse(400, 'members must be a list with values', 'invalidValue');
  return [...new Set(ids)];
}
