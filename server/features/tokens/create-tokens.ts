import { withEditLock } from '#server/accounts/edit-lock.ts';
import { AppError } from '#shared/errors.ts';
import { autoGroup } from '#shared/group-settings.ts';
import { type TokenApplication, tokenBatchLimit, type TokenCreate, tokenNameLimit } from '#shared/tokens.ts';
import type { AppContext } from '#server/context.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { isAutoGroup, mayUseGroup } from '#server/settings/usable-groups.ts';
import { enforceLimit, forgiveHit } from '#server/http/rate-limit.ts';
import { checkAutoGroups, checkTokenFields, checkTokenGroup } from './token-fields.ts';
import { requireTokenCapacity } from './token-capacity.ts';
import { defaultTokenFields, insertTokens, type NewToken } from '#server/tokens/insert-token.ts';

const suffixLength = 6;
/** Deleted tokens remain for the books; this bounds how many a user can create by deleting and creating. */
const creationWindow = { limits: 2, windowSeconds: 86_400 };

/** Of a token that a file describes, or that an application gets. */
export interface DescribedToken {
  key?: string;
  /** Of an organisation's token (`records/token.ts`). */
  standing?: Pick<NewToken, 'member_id' | 'team_id'>;
  managed?: ManagedMark;
  application?: TokenApplication;
  actorId?: number;
}

/** One token, or `count` of them that differ in their names. @throws {AppError} before any is made */
export async function createTokens(
  context: AppContext,
  owner: UserRecord,
  input: TokenCreate,
  { actorId = owner.id, key, managed, application, standing = {} }: DescribedToken = {},
): Promise<TokenRecord[]> {
  const count = input.count ?? 1;
  if (count > tokenBatchLimit) throw new AppError('token_count_invalid', { limit: tokenBatchLimit }, { field: 'count' });
  const fields = checkNewToken(context, owner, input);
  const described = {
    ...standing,
    ...(key === undefined ? {} : { key }),
    ...(application === undefined ? {} : { application }),
    ...(managed === undefined ? {} : { managed, managed_by: managed.by }),
  };
  const first: NewToken = { ...fields, ...described, name: fields.name ?? '', remain_quota: input.remain_quota ?? 0 };
  const tokens = Array.from({ length: count }, (_, index) => (index === 0 ? first : { ...first, name: suffixed(context, first.name) }));
  return withEditLock(context, `tokens-of:${owner.id}`, async () => {
    await requireTokenCapacity(context, owner, count, standing.member_id);
    await countCreation(context, standing.member_id === undefined ? `${owner.id}` : `${owner.id}:${standing.member_id}`, count);
    return insertTokens(context, { userId: owner.id, actorId }, tokens);
  });
}

/** The fields of a new token, checked. @throws {AppError} on the first that is wrong, or that its owner may not have */
export function checkNewToken(context: AppContext, owner: UserRecord, input: TokenCreate): Omit<NewToken, 'name'> & { name?: string } {
  // Old clients send 0 for a token that never expires.
  const { expired_time: expiry, ...others } = input;
  const fields = { ...defaultTokenFields, group: usualGroup(context, owner), ...checkTokenFields(expiry === 0 ? others : input) };
  checkTokenGroup(context.settings, owner, fields.group);
  checkAutoGroups(context.settings, owner, fields.auto_groups);
  return fields;
}

/** Group of a token that names none. */
function usualGroup({ settings }: AppContext, { group }: UserRecord): string {
  return settings.get('DefaultUseAutoGroup') && isAutoGroup(settings, autoGroup) && mayUseGroup(settings, group, autoGroup)
    ? autoGroup
    : '';
}

/** @param creator account, and its member in an organisation @throws {AppError} `rate_limited` for who has made too many of late */
async function countCreation(context: AppContext, creator: string, count: number): Promise<void> {
  const { limits, windowSeconds } = creationWindow;
  const key = `new-tokens:${creator}`;
  const most = context.settings.get('MaxTokensPerUser') * limits;
  try {
    await enforceLimit(context, { key, hits: count, count: most, windowSeconds });
  } catch (failure) {
    // What was refused was not made: smaller batches still find room.
    if (failure instanceof AppError && failure.code === 'rate_limited') await forgiveHit(context, key, count);
    throw failure;
  }
}

/** Returns the name with a random ending, cut to the length limit. */
function suffixed(context: AppContext, name: string): string {
  const stored = Array.from(name)
    .slice(0, tokenNameLimit - suffixLength - 1)
    .join('');
  return `${stored}-${context.randomText(suffixLength)}`;
}
