import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Limits of a user that the tokens of a whole organisation may reach. */
const limitsOfOrganisation = 10;

/**
 * Checks the capacity for more tokens, under the edit lock `tokens-of:<owner>`. In an organisation each member has the limit of a user, and so have the service
 * accounts together, so that one member does not use up that of the others.
 * @param memberId member of the organisation whose tokens they are; 0 for service accounts
 * @throws {AppError} `token_limit_reached` when so many more are too many
 */
export async function requireTokenCapacity(
  { db, settings }: AppContext,
  { id, kind }: Pick<UserRecord, 'id' | 'kind'>,
  count: number,
  memberId = 0,
): Promise<void> {
  const limit = settings.get('MaxTokensPerUser');
  const requireFewer = async (filter: Filter<TokenRecord>, most: number) => {
    const existing = await db.collection('tokens').count({ user_id: id, DeletedAt: null, ...filter }, most + 1);
    if (existing + count > most) throw new AppError('token_limit_reached', { limit: most }, { field: 'count' });
  };
  if (kind !== 'organisation') return requireFewer({}, limit);
  await requireFewer(memberId === 0 ? { or: [{ member_id: 0 }, { member_id: { exists: false } }] } : { member_id: memberId }, limit);
  await requireFewer({}, limit * limitsOfOrganisation);
}
