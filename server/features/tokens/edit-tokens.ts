// One change of several tokens. What is wrong for one of them is found before any is changed; what a crash or a lost reply leaves undone is
// done by the same edit sent again, whose refills have names of their own in the ledger.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type TokensEdit, TokenStatus } from '#shared/tokens.ts';
import { quotaLimit } from '#shared/user.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { boundChange, grantedOf, type MemberEdit } from '#server/accounts/member-bounds.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { type Change, editRecord } from '#server/db/edit-record.ts';
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
export async function editTokens(context: AppContext, owner: UserRecord, input: TokensEdit, member?: MemberEdit): Promise<EditedTokens> {
  const fields = checkTokenFields(input);
  const ids = [...new Set(input.ids)];
  const isMoney = input.remain_quota !== undefined || input.refill !== undefined;
  if (!isMoney && Object.keys(fields).length === 0) throw invalidField('ids', fieldRules.required);
  await checkTokens(context, owner, { input, fields, ids, member });
  if (isMoney) await countQuotaEdits(context, owner.id, ids.length);
  const result: EditedTokens = { changed: 0, same: 0 };
  for (const [index, id] of ids.entries()) {
    try {
      const edit = () => editOne(context, owner, { id, input, fields, member });
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
  member: MemberEdit | undefined;
}

/** @throws {AppError} `tokens_missing`, `token_limit_held`, `token_limit_bound`, `token_group_denied`, `tokens_unlimited`, `balance_too_large`, `invalid_field` */
async function checkTokens(context: AppContext, owner: UserRecord, { input, fields, ids, member }: ManyEdit): Promise<void> {
  const { refill, remain_quota: quota, unlimited_quota: isUnlimited } = input;
  if (refill !== undefined && quota !== undefined) throw invalidField('refill', fieldRules.notHere);
  const tokens = await context.db.collection('tokens').find({ id: { in: ids }, user_id: owner.id, DeletedAt: null });
  if (tokens.length < ids.length) throw new AppError('tokens_missing', { count: ids.length - tokens.length }, { field: 'ids' });
  for (const token of tokens) {
    checkHeldLimits(token, fields, { changesQuota: changesQuota(token, input) });
    const granted = (await isRefilled(context, token, input)) ? undefined : grantedBy(token, input);
    boundChange(token, { fields, granted }, member);
  }
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

/** Sum of balance and charges after the edit; undefined if the balance stays. */
function grantedBy(token: TokenRecord, { refill, remain_quota: quota }: TokensEdit): number | undefined {
  if (refill !== undefined) return grantedOf(token) + refill;
  return quota === undefined ? undefined : quota + (token.charged_quota ?? 0);
}

/** Reports whether this refill was made by the same edit before. */
async function isRefilled({ db }: AppContext, { id }: TokenRecord, { ref, refill }: TokensEdit): Promise<boolean> {
  return refill !== undefined && (await db.collection('ledger').count({ ref: refOf(id, ref) }, 1)) > 0;
}

function refOf(id: number, ref: string): string {
  return `token:${id}:many:${ref}`;
}

function namesOf(tokens: readonly TokenRecord[]): string {
  const names = tokens.slice(0, mostNamed).map(({ name }) => name);
  return tokens.length > mostNamed ? `${names.join(', ')} …` : names.join(', ');
}

/** Whether anything changed. A token that was deleted meanwhile does not. */
async function editOne(
  context: AppContext,
  owner: UserRecord,
  { id, input, fields, member }: Omit<ManyEdit, 'ids'> & { id: number },
): Promise<boolean> {
  const stored = member === undefined ? null : await context.db.collection('tokens').get(id);
  const isPaidBefore = stored !== null && (await isRefilled(context, stored, input));
  const edited = await editRecord(context, 'tokens', {
    id,
    where: ownToken(owner.id, id),
    change(token) {
      checkHeldLimits(token, fields, { changesQuota: changesQuota(token, input) });
      const bound = boundChange(token, { fields, granted: isPaidBefore ? undefined : grantedBy(token, input) }, member);
      return changeOf(token, fields, bound);
    },
  });
  if (edited === null) return false;
  const isEdited = edited.after !== edited.before;
  const isPaid = await changeQuota(context, owner, { id, input });
  // A client that read the token in between holds an outdated revision.
  if (isPaid) await editRecord(context, 'tokens', { id, where: ownToken(owner.id, id), change: () => ({ set: {} }) });
  return isEdited || isPaid;
}

function changeOf(token: TokenRecord, fields: Partial<TokenFields>, bound: Change<TokenRecord>): Change<TokenRecord> | null {
  const stored: Record<string, unknown> = {
    ...token,
    session_budget: token.session_budget ?? 0,
    rate_limits: token.rate_limits ?? '',
    budgets: token.budgets ?? '',
  };
  // Expired and exhausted end with what caused them; stored, they would outlive it.
  const isStale = token.status === TokenStatus.expired || token.status === TokenStatus.exhausted;
  const isSame = Object.entries(fields).every(([field, value]) => stored[field] === value);
  if (!isStale && isSame && bound.unset === undefined && bound.set.member_bounds === undefined) return null;
  return { ...bound, set: { ...fields, ...bound.set, ...(isStale ? { status: TokenStatus.enabled } : {}) } };
}

async function changeQuota(
  { ledger }: AppContext,
  owner: UserRecord,
  { id, input: { ref, refill, remain_quota: balance } }: { id: number; input: TokensEdit },
): Promise<boolean> {
  const request = { account: 'token' as const, id, kind: 'token_edit', ref: refOf(id, ref), actorId: owner.id };
  if (refill !== undefined) return (await ledger.change({ ...request, amount: refill })).isNew;
  if (balance === undefined) return false;
  const set = await ledger.setBalance({ ...request, balance });
  return set.isNew && set.amount !== 0;
}
