import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type HeldLimit, type TokenEdit, TokenStatus } from '#shared/tokens.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { boundChange, type MemberEdit, stopChange } from '#server/accounts/member-bounds.ts';
import { requestedBalance } from '#server/accounts/requested-balance.ts';
import type { AppContext } from '#server/context.ts';
import { type Change, type Edited, editRecord } from '#server/db/edit-record.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { checkHeldLimits } from './held-limits.ts';
import { presentMasked } from './present-token.ts';
import { countQuotaEdits } from './quota-edits.ts';
import { findToken, ownToken } from './store.ts';
import { checkAutoGroups, checkTokenFields, checkTokenGroup } from './token-fields.ts';
import { isExhausted, isExpired } from './token-status.ts';

/** Edits that overtake each other this often are refused. */
const tries = 5;

/**
 * Writes the given fields and, when `remain_quota` is among them, the balance. With a balance the revision moves before and
 * after: an editor that reads in between holds a revision that is not current any more when its own edit comes. @throws {AppError}
 */
export function editToken(
  context: AppContext,
  owner: UserRecord,
  input: TokenEdit,
  { by, mark, member }: TokenEditor = {},
): Promise<TokenRecord> {
  const fields = { ...checkTokenFields(input), ...(mark === undefined ? {} : { managed: mark, managed_by: mark.by }) };
  return withEditLock(context, `token:${input.id}`, async () => {
    await countQuotaEdit(context, { owner, actorId: by?.actorId ?? owner.id }, input);
    const edit = { input, fields, by, member };
    // Without a base revision, the last edit counts: one that was overtaken is repeated on the new state.
    for (let attempt = 1; !(await editTokenAndBalance(context, owner, edit)); attempt += 1) {
      if (input.revision !== undefined || attempt === tries) {
        const data = (by ?? ownerView(context)).present(await readOwnToken(context, owner, input.id));
        throw new AppError('revision_conflict', {}, { data });
      }
    }
    return readOwnToken(context, owner, input.id);
  });
}

/** Who edits a token, if that is not its owner alone. */
export interface TokenEditor {
  by?: Administrator | undefined;
  /** File that manages the token from now on. */
  mark?: ManagedMark | undefined;
  /** On behalf of an organisation. */
  member?: MemberEdit | undefined;
}

/** Who edits the token of another user. */
export interface Administrator {
  actorId: number;
  /** Limits that the owner cannot change from now on; undefined to leave them. */
  held?: readonly HeldLimit[] | undefined;
  /** Presents the token in a conflict response, without its key. */
  present(token: TokenRecord): unknown;
}

function ownerView(context: AppContext): Pick<Administrator, 'present'> {
  return { present: (token) => presentMasked(context, token) };
}

/** False if the token was edited meanwhile, so that its balance is not the requested one. */
async function editTokenAndBalance(
  context: AppContext,
  owner: UserRecord,
  {
    input,
    fields,
    by,
    member,
  }: Pick<TokenEditor, 'by' | 'member'> & {
    input: TokenEdit;
    fields: ReturnType<typeof checkTokenFields> & Pick<TokenRecord, 'managed' | 'managed_by'>;
  },
): Promise<boolean> {
  const { present } = by ?? ownerView(context);
  const held = by?.held;
  const { before, after } = await editOwnToken(context, owner, { ...input, present }, (token) => {
    // What it refuses is refused before anything is stored.
    const quota = requestedQuota(token, input);
    if (by === undefined) checkHeldLimits(token, fields, { changesQuota: quota !== null });
    const bound = boundChange(token, { fields, granted: quota === null ? undefined : grantedBy(token, quota) }, member);
    // A group that was allowed once stays as it is; only a new choice is judged.
    if (fields.group !== token.group) checkTokenGroup(context.settings, owner, fields.group);
    if (fields.auto_groups !== token.auto_groups) checkAutoGroups(context.settings, owner, fields.auto_groups);
    // Expired and exhausted end with what caused them; stored, they would outlive it.
    const isStale = token.status === TokenStatus.expired || token.status === TokenStatus.exhausted;
    const set = { ...fields, ...bound.set, ...(isStale ? { status: TokenStatus.enabled } : {}) };
    if (held === undefined) return { ...bound, set };
    return held.length === 0 ? { set, unset: ['held'] } : { set: { ...set, held: held.join(',') } };
  });
  const intended = requestedQuota(before, input);
  if (intended === null) return true;
  const ref = `token:${input.id}:edit:${context.randomText(20)}`;
  const request = { account: 'token' as const, id: input.id, kind: 'token_edit', ref, actorId: by?.actorId ?? owner.id, ...intended };
  try {
    // Another process took the lock while this one stalled: the token is no longer as this edit has left it.
    await context.ledger.setBalance({ ...request, revision: after.revision });
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'revision_conflict') return false;
    throw failure;
  }
  await editOwnToken(context, owner, { id: input.id }, () => ({ set: {} }));
  return true;
}

/** @throws {AppError} `rate_limited`, before anything is stored */
async function countQuotaEdit(
  context: AppContext,
  { owner, actorId }: { owner: UserRecord; actorId: number },
  input: TokenEdit,
): Promise<void> {
  if (input.remain_quota === undefined) return;
  const token = await findToken(context, owner.id, input.id);
  if (token === null || requestedQuota(token, input) === null) return;
  await countQuotaEdits(context, actorId, 1);
}

/** Enables or disables. @throws {AppError} when an expired or exhausted token, or one that an administrator disabled, is to be enabled */
export function editTokenStatus(
  context: AppContext,
  owner: UserRecord,
  input: TokenEdit,
  { member }: Pick<TokenEditor, 'member'> = {},
): Promise<TokenRecord> {
  const { status } = input;
  if (status !== TokenStatus.enabled && status !== TokenStatus.disabled) {
    throw invalidField('status', fieldRules.onOrOff);
  }
  return withEditLock(context, `token:${input.id}`, async () => {
    const { after } = await editOwnToken(context, owner, input, (token) => {
      if (status === TokenStatus.enabled && token.blocked_reason !== undefined) {
        throw new AppError('token_blocked', { reason: token.blocked_reason });
      }
      if (status === TokenStatus.enabled && isExpired(token, context.now())) throw new AppError('token_expired_enable');
      if (status === TokenStatus.enabled && isExhausted(token)) throw new AppError('token_exhausted_enable');
      const { set, ...stop } = stopChange(token, status, member);
      return { ...stop, set: { ...set, status } };
    });
    return after;
  });
}

async function editOwnToken(
  context: AppContext,
  owner: UserRecord,
  { id, revision, present = ownerView(context).present }: Pick<TokenEdit, 'id' | 'revision'> & Partial<Pick<Administrator, 'present'>>,
  change: (token: TokenRecord) => Change<TokenRecord>,
): Promise<Edited<TokenRecord>> {
  const edited = await editRecord(context, 'tokens', {
    id,
    where: ownToken(owner.id, id),
    revision,
    change,
    present,
  });
  if (edited === null) throw new AppError('not_found');
  return edited;
}

/** Sum of balance and charges after the edit. */
function grantedBy(token: TokenRecord, { balance, knownUsed, knownCharged }: RequestedQuota): number {
  const { charged_quota: charged = 0, used_quota: used } = token;
  return balance + (knownCharged ?? charged - (knownUsed === undefined ? 0 : used - knownUsed));
}

type RequestedQuota = { balance: number; knownUsed?: number; knownCharged?: number };

function requestedQuota(token: TokenRecord, { remain_quota, used_quota, charged_quota }: TokenEdit): RequestedQuota | null {
  if (remain_quota === undefined) return null;
  if (charged_quota !== undefined) {
    const now = { balance: balanceOf(token), used: token.charged_quota ?? 0 };
    const intended = requestedBalance({ balance: remain_quota, used: charged_quota }, now, 'remain_quota');
    return intended === null
      ? null
      : { balance: intended.balance, ...(intended.knownUsed === undefined ? {} : { knownCharged: intended.knownUsed }) };
  }
  // What an unlimited token uses does not come from its balance, so there `used_quota` says nothing about it.
  const edit = { balance: remain_quota, used: token.unlimited_quota ? undefined : used_quota };
  return requestedBalance(edit, { balance: balanceOf(token), used: token.used_quota }, 'remain_quota');
}

async function readOwnToken(context: AppContext, owner: UserRecord, id: number): Promise<TokenRecord> {
  const token = await findToken(context, owner.id, id);
  if (token === null) throw new AppError('not_found');
  return token;
}
