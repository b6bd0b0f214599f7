import { AppError } from '#shared/errors.ts';
import { TokenStatus } from '#shared/tokens.ts';
import type { TokenEdit } from '#shared/tokens.ts';
import { withEditLease } from '#server/accounts/edit-lease.ts';
import type { AppContext } from '#server/context.ts';
import type { Patch } from '#server/db/collection.ts';
import type { TokenRecord, UserRecord } from '#server/db/collections.ts';
import { presentMasked } from './present-token.ts';
import { findToken, ownToken } from './store.ts';
import { checkTokenFields, checkTokenGroup } from './token-fields.ts';
import { isExhausted, isExpired } from './token-status.ts';

/** An edit without a revision is repeated when somebody else was faster. */
const tries = 5;

/**
 * Writes the given fields and, when `remain_quota` is among them, the balance. With a balance the revision moves before and
 * after: whoever reads in between holds a revision that is no longer current when his own edit comes. @throws {AppError}
 */
export function editToken(context: AppContext, owner: UserRecord, input: TokenEdit): Promise<TokenRecord> {
  const fields = checkTokenFields(input);
  return withEditLease(context, `token:${input.id}`, async () => {
    const before = await patchToken(context, owner, input, (token) => {
      // A group that was allowed once stays as it is; only a new choice is judged.
      if (fields.group !== token.group) checkTokenGroup(context.settings, owner, fields.group);
      // Expired and exhausted end with what caused them; stored, they would outlive it.
      const isStale = token.status === TokenStatus.expired || token.status === TokenStatus.exhausted;
      return { ...fields, ...(isStale ? { status: TokenStatus.enabled } : {}) };
    });
    if (input.remain_quota !== undefined) {
      await setQuota(context, owner, before, input, input.remain_quota);
      await patchToken(context, owner, { id: input.id }, () => ({}));
    }
    return finish(context, owner, input.id);
  });
}

/** Enables or disables. @throws {AppError} when an expired or exhausted token is to be enabled */
export function editTokenStatus(context: AppContext, owner: UserRecord, input: TokenEdit): Promise<TokenRecord> {
  const { status } = input;
  if (status !== TokenStatus.enabled && status !== TokenStatus.disabled) {
    throw new AppError('invalid_field', { field: 'status', rule: '1 | 2' }, { field: 'status' });
  }
  return withEditLease(context, `token:${input.id}`, async () => {
    await patchToken(context, owner, input, (token) => {
      if (status === TokenStatus.enabled && isExpired(token, context.now())) throw new AppError('token_expired_enable');
      if (status === TokenStatus.enabled && isExhausted(token)) throw new AppError('token_exhausted_enable');
      return { status };
    });
    return finish(context, owner, input.id);
  });
}

/** Returns the record as it was before. */
async function patchToken(
  context: AppContext,
  owner: UserRecord,
  input: TokenEdit,
  fieldsOf: (token: TokenRecord) => Record<string, unknown>,
): Promise<TokenRecord> {
  for (let attempt = 1; ; attempt += 1) {
    const token = await findToken(context, owner.id, input.id);
    if (token === null) throw new AppError('not_found');
    const isOutdated = input.revision !== undefined && input.revision !== token.revision;
    if (isOutdated || attempt > tries) throw new AppError('revision_conflict', {}, { data: presentMasked(context, token) });
    const patch: Patch = { set: fieldsOf(token), increment: { revision: 1 } };
    const filter = { ...ownToken(owner.id, input.id), revision: token.revision };
    if ((await context.db.collection('tokens').patch(filter, patch)) !== null) return token;
  }
}

async function setQuota(context: AppContext, owner: UserRecord, before: TokenRecord, input: TokenEdit, remain: number): Promise<void> {
  const request = { account: 'token' as const, id: before.id, kind: 'token_edit', ref: `token:${before.id}:edit:${context.randomText(20)}`, actorId: owner.id };
  // What an unlimited token uses does not come from its balance, so there `used_quota` says nothing about it.
  if (before.unlimited_quota || input.used_quota === undefined) {
    await context.ledger.setBalance({ ...request, balance: remain });
    return;
  }
  // Nobody can have seen more used than there is now, and an edit never leaves debts.
  const knownUsed = Math.min(input.used_quota, before.used_quota);
  await context.ledger.setBalance({ ...request, balance: Math.max(remain, before.used_quota - knownUsed), knownUsed });
}

async function finish(context: AppContext, owner: UserRecord, id: number): Promise<TokenRecord> {
  await context.changes.announce('token', id);
  const token = await findToken(context, owner.id, id);
  if (token === null) throw new AppError('not_found');
  return token;
}
