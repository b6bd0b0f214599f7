// Tokens of an organisation: which of them its members reach.
import { AppError } from '#shared/errors.ts';
import { mayInOrganisation, reachesAllKeys } from '#shared/organisation-roles.ts';
import type { TokenCreate } from '#shared/tokens.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { Caller } from '#server/http/call.ts';

/** Filter for the tokens that the caller reaches, in addition to that of their account. */
export function reachedTokens({ membership }: Caller): Filter<TokenRecord> {
  return membership == null || reachesAllKeys(membership.member.role) ? {} : { member_id: membership.person.id };
}

/** @throws {AppError} `not_found` if the caller does not reach one of the tokens. To which member a token belongs never changes. */
export async function checkReach({ db }: AppContext, caller: Caller, ids: readonly number[]): Promise<void> {
  const { membership, user } = caller;
  if (membership == null || reachesAllKeys(membership.member.role)) return;
  const unique = [...new Set(ids)];
  const reached = await db.collection('tokens').count({ id: { in: unique }, user_id: user.id, member_id: membership.person.id });
  if (reached < unique.length) throw new AppError('not_found');
}

/**
 * Standing of tokens that the caller creates; empty for a person's own.
 * @throws {AppError} `organisation_right_missing`, `team_unknown`
 */
export async function standingFor(
  { db }: AppContext,
  { user, membership }: Caller,
  { is_service: isService = false, team_id: teamId = 0 }: TokenCreate,
): Promise<Pick<TokenRecord, 'member_id' | 'team_id'>> {
  if (membership == null) return {};
  if (!isService) return { member_id: membership.person.id };
  if (!mayInOrganisation(membership.member.role, 'manage')) throw new AppError('organisation_right_missing', {}, { field: 'is_service' });
  const team = teamId === 0 ? null : await db.collection('teams').first({ id: teamId, organisation_id: user.id });
  if (teamId !== 0 && team === null) throw new AppError('team_unknown', {}, { field: 'team_id' });
  return { member_id: 0, team_id: teamId };
}
