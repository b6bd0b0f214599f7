// One change of several tokens. What is wrong for one of them is found before any is changed; what a crash or a lost reply leaves undone is
// done by the same edit sent again, whose refills have names of their own in the ledger.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type TokensEdit, TokenStatus } from '#shared/tokens.ts';
import { quotaLimit } from '#shared/user.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import type { TokenFields } from '#server/tokens/insert-token.ts';
import { checkHeldLimits } from './held-limits.ts';
import { countQuotaEdits } from './quota-edits.ts';
import { ownToken } from './store.ts';
import { checkTokenFields, checkTokenGroup } from './token-fields.ts';

/** As many are named in a refusal. */
const mostNamed = 5;

interface EditedTokens {
  changed: number;
  /** Were so already. */
  same: number;
}

/** @throws {AppError} before anything is changed; `tokens_stopped` when the database fails midway */
export async function editTokens(context: AppContext, owner: UserRecord, input: TokensEdit): Promise<EditedTokens> {
  const fields = checkTokenFields(input);
  const ids = [...new Set(input.ids)];
  const isMoney = input.remain_quota !== undefined || input.refill !== undefined;
  if (!isMoney && Object.keys(fields).length === 0) throw invalidField('ids', fieldRules.required);
  await checkTokens(context, owner, { input, fields, ids });
  if (isMoney) await countQuotaEdits(context, owner.id, ids.length);
  const result: EditedTokens = { changed: 0, same: 0 };
  for (const [index, id] of ids.entries()) {
    try {
      const edit = () => editOne(context, owner, { id, input, fields });
      // A record and its balance are two writes.
      const isChanged = isMoney ? await withEditLock(context, `token:${id}`, edit) : await edit();
      if (isChanged) result.changed += 1;
      else result.same += 1;
    } catch (failure) {
      if (!(failure instanceof DatabaseUnavailable) || index === 0) throw failure;
      throw new AppError('tokens_stopped', { done: index, total: ids.length }, { cause: failure });
    }
  }
  return result;
}

interface ManyEdit {
  input: TokensEdit;
  fields: Partial<TokenFields>;
  ids: readonly number[];
}

/** @throws {AppError} `tokens_missing`, `token_limit_held`, `token_group_denied`, `tokens_unlimited`, `balance_too_large`, `invalid_field` */
async function checkTokens(context: AppContext, owner: UserRecord, { input, fields, ids }: ManyEdit): Promise<void> {
  const { refill, remain_quota: quota, unlimited_quota: isUnlimited } = input;
  if (refill !== undefined && quota !== undefined) throw invalidField('refill', fieldRules.notHere);
  const tokens = await context.db.collection('tokens').find({ id: { in: ids }, user_id: owner.id, DeletedAt: null });
  if (tokens.length < ids.length) throw new AppError('tokens_missing', { count: ids.length - tokens.length }, { field: 'ids' });
  for (const token of tokens) checkHeldLimits(token, fields, { changesQuota: changesQuota(token, input) });
  if (tokens.some(({ group }) => fields.group !== group)) checkTokenGroup(context.settings, owner, fields.group);
  const unlimited = tokens.filter((token) => isUnlimited ?? token.unlimited_quota);
  if (unlimited.length > 0 && (refill !== undefined || quota !== undefined)) {
    const field = refill === undefined ? 'remain_quota' : 'refill';
    throw new AppError('tokens_unlimited', { names: namesOf(unlimited) }, { field });
  }
  if (refill !== undefined && tokens.some((token) => balanceOf(token) + refill > quotaLimit)) {
    throw new AppError('balance_too_large', {}, { field: 'refill' });
  }
}

function changesQuota(token: TokenRecord, { refill, remain_quota: quota }: TokensEdit): boolean {
  return refill !== undefined || (quota ?? balanceOf(token)) !== balanceOf(token);
}

function namesOf(tokens: readonly TokenRecord[]): string {
  const names = tokens.slice(0, mostNamed).map(({ name }) => name);
  return tokens.length > mostNamed ? `${names.join(', ')} …` : names.join(', ');
}

/** Whether anything changed. A token that was deleted meanwhile does not. */
async function editOne(
  context: AppContext,
  owner: UserRecord,
  { id, input, fields }: Omit<ManyEdit, 'ids'> & { id: number },
): Promise<boolean> {
  const edited = await editRecord(context, 'tokens', {
    id,
    where: ownToken(owner.id, id),
    change(token) {
      checkHeldLimits(token, fields, { changesQuota: changesQuota(token, input) });
      return changeOf(token, fields);
    },
  });
  if (edited === null) return false;
  const isEdited = edited.after !== edited.before;
  const isPaid = await changeQuota(context, owner, { id, input });
  // A client that read the token in between holds an outdated revision.
  if (isPaid) await editRecord(context, 'tokens', { id, where: ownToken(owner.id, id), change: () => ({ set: {} }) });
  return isEdited || isPaid;
}

function changeOf(token: TokenRecord, fields: Partial<TokenFields>): { set: Partial<TokenRecord> } | null {
  const stored: Record<string, unknown> = {
    ...token,
    session_budget: token.session_budget ?? 0,
    rate_limits: token.rate_limits ?? '',
    budgets: token.budgets ?? '',
  };
  // Expired and exhausted end with what caused them; stored, they would outlive it.
  const isStale = token.status === TokenStatus.expired || token.status === TokenStatus.exhausted;
  if (!isStale && Object.entries(fields).every(([field, value]) => stored[field] === value)) return null;
  return { set: { ...fields, ...(isStale ? { status: TokenStatus.enabled } : {}) } };
}

async function changeQuota(
  { ledger }: AppContext,
  owner: UserRecord,
  { id, input: { ref, refill, remain_quota: balance } }: { id: number; input: TokensEdit },
): Promise<boolean> {
  const request = { account: 'token' as const, id, kind: 'token_edit', ref: `token:${id}:many:${ref}`, actorId: owner.id };
  if (refill !== undefined) return (await ledger.change({ ...request, amount: refill })).isNew;
  if (balance === undefined) return false;
  const set = await ledger.setBalance({ ...request, balance });
  return set.isNew && set.amount !== 0;
}
