// Tokens of an organisation: which of them its members reach.
import { AppError } from '#shared/errors.ts';
import { mayInOrganisation, reachesAllKeys } from '#shared/organisation-roles.ts';
import type { TokenCreate } from '#shared/tokens.ts';
import { requireTeam, withOrganisationLock } from '#server/accounts/members.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { OrganisationMemberRecord } from '#server/db/records/organisation.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { type Caller, personOf } from '#server/http/call.ts';
import { createTokens } from './create-tokens.ts';

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

/** Whose limits or budgets are read: a token, or a member or team of the organisation; neither for its account. */
interface ReadPart {
  token: Pick<TokenRecord, 'member_id'> | null;
  member?: Pick<OrganisationMemberRecord, 'user_id'> | null | undefined;
}

/**
 * Checks that the caller may read limits of a part of the organisation, and what is left of them: those of all with the right to its usage, which lists
 * tokens and members, others their own.
 * @throws {AppError} `not_found`
 */
export function checkReading({ membership }: Pick<Caller, 'membership'>, { token, member }: ReadPart): void {
  if (membership == null || mayInOrganisation(membership.member.role, 'usage')) return;
  const { id } = membership.person;
  if ((token === null ? member?.user_id : token.member_id) !== id) throw new AppError('not_found');
}

/**
 * Creates tokens of the caller: in an organisation with their standing, and none in a team that is removed meanwhile.
 * @throws {AppError} `organisation_right_missing`, `team_unknown`, and as `createTokens`
 */
export function createTokensOf(context: AppContext, caller: Caller, input: TokenCreate): Promise<TokenRecord[]> {
  const { user, membership } = caller;
  const { is_service: isService = false, team_id: teamId = 0 } = input;
  const create = (standing: Pick<TokenRecord, 'member_id' | 'team_id'>) =>
    createTokens(context, user, input, { actorId: personOf(caller).id, standing });
  if (membership == null) return create({});
  if (!isService) return create({ member_id: membership.person.id });
  if (!mayInOrganisation(membership.member.role, 'manage')) throw new AppError('organisation_right_missing', {}, { field: 'is_service' });
  if (teamId === 0) return create({ member_id: 0, team_id: 0 });
  return withOrganisationLock(context, user.id, async () => {
    await requireTeam(context, user.id, teamId);
    return create({ member_id: 0, team_id: teamId });
  });
}
