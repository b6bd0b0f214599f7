// Token or user whose limits and budgets a request concerns: the caller's, or those of others for administrators.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { mayActOn, Role } from '#shared/roles.ts';
import { countedOwner } from '#server/accounts/owners.ts';
import { readStanding } from '#server/accounts/memberships.ts';
import type { LimitedStanding } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

export interface LimitedAccount {
  token: TokenRecord | null;
  user: UserRecord;
  /** Member and team whose limits bind, too. */
  standing?: LimitedStanding | undefined;
}

interface LimitedQuery {
  token_id?: string | undefined;
  user_id?: string | undefined;
  /** On behalf of an organisation: user id of a member, and a team. */
  member_id?: string | undefined;
  team_id?: string | undefined;
}

/** @throws {AppError} `not_found`, `user_read_denied`, `invalid_field`, `member_unknown`, `team_unknown` */
export async function limitedAccount({ db }: Pick<AppContext, 'db'>, actor: UserRecord, query: LimitedQuery): Promise<LimitedAccount> {
  const { token_id: tokenId, user_id: userId } = query;
  if (tokenId !== undefined && tokenId !== '') {
    const token = await db.collection('tokens').get(idIn('token_id', tokenId));
    if (token === null || token.DeletedAt !== null) throw new AppError('not_found');
    const user = await readableUser(db, actor, token.user_id);
    return { token, user, standing: user.kind === 'organisation' ? ((await readStanding(db, token)) ?? undefined) : undefined };
  }
  const user = userId === undefined || userId === '' ? actor : await readableUser(db, actor, idIn('user_id', userId));
  if (user.kind !== 'organisation') return { token: null, user };
  const part = actor.kind === 'organisation' ? query : {};
  return { token: null, user, standing: await partOf(db, user.id, part) };
}

/** The organisation with the member and the team that the query names. @throws {AppError} `member_unknown`, `team_unknown` */
async function partOf(
  db: AppContext['db'],
  organisationId: number,
  { member_id: memberId = '', team_id: teamId = '' }: LimitedQuery,
): Promise<LimitedStanding> {
  const organisation = await db.collection('organisations').get(organisationId);
  const ownerId = organisation === null ? undefined : await countedOwner(db, organisation);
  const of = { organisation_id: organisationId };
  const member =
    memberId === '' ? null : await db.collection('organisation_members').first({ ...of, user_id: idIn('member_id', memberId) });
  if (memberId !== '' && member === null) throw new AppError('member_unknown', {}, { field: 'member_id' });
  const team = teamId === '' ? null : await db.collection('teams').first({ ...of, id: idIn('team_id', teamId) });
  if (teamId !== '' && team === null) throw new AppError('team_unknown', {}, { field: 'team_id' });
  return { member, team, ...(ownerId === undefined ? {} : { ownerId }) };
}

/** Returns the user if the caller may see its records. What others have is not found by those who are no administrators. */
export async function readableUser(db: AppContext['db'], actor: UserRecord, id: number): Promise<UserRecord> {
  if (id === actor.id) return actor;
  const user = actor.role >= Role.admin ? await db.collection('users').get(id) : null;
  if (user === null || user.DeletedAt !== null) throw new AppError('not_found');
  if (!mayActOn(actor.role, user.role)) throw new AppError('user_read_denied');
  return user;
}

function idIn(field: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidField(field, fieldRules.integer);
  return Number(text);
}
