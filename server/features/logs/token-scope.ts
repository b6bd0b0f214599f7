// Calls that a member of an organisation may read and has requested: those of a member, of a team, or of service accounts, by the ids of their tokens.
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { type Caller, signedIn } from '#server/http/call.ts';

/** Part of a query that is resolved here. Ids of deleted tokens are included; undefined: all calls of the account. */
export interface TokenScope {
  token_ids?: readonly number[] | undefined;
  /** Whether the reader may read the calls of all members of the organisation, and so who made them. */
  names_members?: boolean;
}

interface ScopedQuery {
  /** 0: service accounts. */
  member_id?: number | undefined;
  team_id?: number | undefined;
}

/** More tokens than these are not looked up: the newest ones are. */
const mostTokens = 5_000;

/**
 * Returns the query with the ids of the tokens whose calls it concerns. Without the right to the usage of the organisation, these are the person's own,
 * whatever the query names. Ignored by accounts of persons.
 */
export async function withTokenScope<Query extends ScopedQuery>(
  { db }: Pick<AppContext, 'db'>,
  call: { caller: Caller | null },
  query: Query,
): Promise<Query & TokenScope> {
  const { membership, user } = signedIn(call);
  if (membership === undefined || membership === null) return query;
  const { member, person } = membership;
  const filters: Filter<TokenRecord>[] = [];
  const readsAll = mayInOrganisation(member.role, 'usage');
  if (!readsAll) filters.push({ member_id: person.id });
  if (query.member_id !== undefined) filters.push({ member_id: query.member_id });
  if (query.team_id !== undefined) filters.push(await ofTeam(db, user.id, query.team_id));
  const scoped = { ...query, names_members: readsAll };
  if (filters.length === 0) return scoped;
  const tokens = await db.collection('tokens').find({ and: [{ user_id: user.id }, ...filters] }, { sort: [['id', -1]], limit: mostTokens });
  return { ...scoped, token_ids: tokens.map(({ id }) => id) };
}

/** Tokens of the team's members as they are now, and of its service accounts: as its usage counts them. */
async function ofTeam(db: AppContext['db'], organisationId: number, teamId: number): Promise<Filter<TokenRecord>> {
  const members = await db.collection('organisation_members').find({ team_id: teamId, organisation_id: organisationId });
  return { or: [{ member_id: 0, team_id: teamId }, { member_id: { in: members.map(({ user_id: id }) => id) } }] };
}
