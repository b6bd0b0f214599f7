// An administrator's edit of a user. Absent fields stay; the balance changes through the ledger only.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField, invalidInput } from '#shared/field-rules.ts';
import { LogType } from '#shared/logs.ts';
import { mayActOn } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import type { UserEdit } from '#shared/users.ts';
import { checkDisplayName, checkPassword, checkUsername } from '#server/accounts/account-input.ts';
import { requestedBalance } from '#server/accounts/requested-balance.ts';
import { quotaText } from '#server/accounts/quota-text.ts';
import { type AccountFields, editAccount } from '#server/accounts/edit-account.ts';
import { endAccess } from '#server/accounts/end-access.ts';
import { requireAboveOwners } from '#server/accounts/owners.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import { hashPassword, ownerSource } from '#server/accounts/password.ts';
import type { AppContext } from '#server/context.ts';
import type { Edited } from '#server/db/edit-record.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Caller } from '#server/http/call.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { balanceOf } from '#server/money/account.ts';
import type { LedgerResult } from '#server/money/ledger.ts';
import { checkStays } from '#server/settings/group-moves.ts';
import { presentManaged, readLivingUser } from './store.ts';

/** Edits that overtake each other this often are refused. */
const tries = 5;

/** @throws {AppError} `revision_conflict` with the current record; nothing is changed then */
export async function editUser(context: AppContext, caller: Caller, edit: UserEdit): Promise<User> {
  const target = await readLivingUser(context, edit.id);
  checkRights(caller.user, target, edit);
  await requireAboveOwners(context, caller.user, target);
  if (edit.quota !== undefined && edit.quota_change !== undefined) {
    throw invalidField('quota_change', fieldRules.notWithQuota);
  }
  // Once, and before the account is judged as it is when it is changed: it takes a while.
  const passwordHash = await newPasswordHash(edit, caller.user);
  const reason = balanceReason(edit);
  const fieldsFor = (current: UserRecord): AccountFields => {
    checkRights(caller.user, current, edit);
    return { ...checkedFields(context, current, edit), ...(passwordHash === undefined ? {} : { password_hash: passwordHash }) };
  };
  const isQuotaEdit = edit.quota !== undefined || (edit.quota_change ?? 0) !== 0;
  const edited = isQuotaEdit
    ? await withEditLock(context, `user:${target.id}`, () =>
        editWithQuota(context, caller.user, { ...edit, quota_reason: reason }, fieldsFor),
      )
    : (
        await editAccount(context, {
          id: target.id,
          revision: edit.revision,
          isByOthers: true,
          change: (current) => ({ set: fieldsFor(current) }),
        })
      ).after;
  if (passwordHash !== undefined) await endAccess(context, target.id, caller.user.id === target.id ? caller.sessionId : null);
  return presentManaged(context, edited);
}

function checkRights(actor: UserRecord, target: UserRecord, edit: UserEdit): void {
  if (!mayActOn(actor.role, target.role)) throw new AppError('user_edit_denied');
  if (edit.role !== undefined && edit.role !== target.role && !mayActOn(actor.role, edit.role)) {
    throw new AppError('user_raise_denied', {}, { field: 'role' });
  }
  // An organisation has no sign-in, and its name is that in its own record.
  for (const field of ['password', 'username', 'display_name'] as const) {
    const value = edit[field] ?? '';
    const stored = field === 'password' ? '' : target[field];
    if (target.kind !== undefined && value !== '' && value !== stored) throw invalidInput(field, fieldRules.notHere);
  }
  // Limits of an organisation are those that its administrators set: they would lift others at once. Its group has those that bind it.
  const limits = target.kind === undefined ? {} : storedLimits(edit);
  for (const field of ['rate_limits', 'budgets'] as const) {
    if (limits[field] !== undefined && limits[field] !== (target[field] ?? '')) throw invalidInput(field, fieldRules.notHere);
  }
  // In an outdated record they may differ; then the editor gets the revision conflict instead.
  if (edit.revision !== undefined && edit.revision !== target.revision) return;
  for (const field of ['role', 'status'] as const) {
    if (edit[field] !== undefined && edit[field] !== target[field]) throw invalidInput(field, fieldRules.byManaging);
  }
}

/** What is to be stored. Values that do not change are not judged: names from elsewhere may be longer than the limits. */
function checkedFields(context: AppContext, current: UserRecord, edit: UserEdit): AccountFields {
  const fields: AccountFields = storedLimits(edit);
  if (edit.username !== undefined && edit.username !== current.username) fields.username = checkUsername(edit.username);
  if (edit.display_name !== undefined && edit.display_name !== current.display_name)
    fields.display_name = checkDisplayName(edit.display_name);
  if (edit.group !== undefined && edit.group !== current.group) {
    if (context.settings.get('GroupRatio')[edit.group] === undefined) {
      throw new AppError('group_unknown', { group: edit.group }, { field: 'group' });
    }
    checkStays(context.settings, edit.group);
    fields.group = edit.group;
  }
  return fields;
}

/** One line, or none. */
function balanceReason({ quota_reason: text = '' }: UserEdit): string | undefined {
  const reason = text.trim();
  if (/\p{Cc}/u.test(reason) || !reason.isWellFormed()) throw invalidField('quota_reason', fieldRules.characters);
  return reason === '' ? undefined : reason;
}

async function newPasswordHash({ password }: UserEdit, actor: UserRecord): Promise<string | undefined> {
  if (password === undefined || password === '') return undefined;
  checkPassword(password);
  return hashPassword(password, ownerSource(actor.id));
}

/** Without a base revision, the last edit counts: one that was overtaken is repeated on the new state. */
async function editWithQuota(
  context: AppContext,
  actor: UserRecord,
  edit: UserEdit,
  fieldsFor: (current: UserRecord) => AccountFields,
): Promise<UserRecord> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await editRecordAndBalance(context, actor, edit, fieldsFor);
    } catch (failure) {
      const isOvertaken = failure instanceof AppError && failure.code === 'revision_conflict';
      if (!isOvertaken || edit.revision !== undefined || attempt === tries) throw failure;
    }
  }
}

/**
 * Writes the record first, because it may be refused, then the ledger; if the ledger refuses, the record is restored. The revision moves before and
 * after: an editor who reads in between holds an outdated revision. And the ledger sets a balance only while the record is as this edit has left it:
 * another process may have taken the lock while this one stalled.
 */
async function editRecordAndBalance(
  context: AppContext,
  actor: UserRecord,
  edit: UserEdit,
  fieldsFor: (current: UserRecord) => AccountFields,
): Promise<UserRecord> {
  const { id, revision, quota_reason: reason } = edit;
  const first = await editAccount(context, {
    id,
    revision,
    isByOthers: true,
    change(current) {
      // What it refuses is refused before anything is stored.
      quotaChange(context, actor, edit, current);
      return { set: fieldsFor(current) };
    },
  });
  const change = quotaChange(context, actor, edit, first.before);
  if (change === null) return first.after;
  const result = await change(first.after.revision).catch(async (failure: unknown) => {
    await restore(context, first);
    // The answer to a conflict has the record that is current.
    if (failure instanceof AppError && failure.code === 'revision_conflict') await touch(context, id, first.after.revision);
    throw failure;
  });
  const after = await touch(context, id);
  if (result.isNew && result.amount !== 0) {
    const [from, to] = [result.balance - result.amount, result.balance];
    await writeLog(context, {
      user_id: after.id,
      username: after.username,
      type: LogType.management,
      content: `管理员将用户额度从 ${quotaText(context, from)}修改为 ${quotaText(context, to)}${reason === undefined ? '' : `，原因：${reason}`}`,
      event: { code: 'quota_set', from, to, ...(reason === undefined ? {} : { reason }) },
      by: actor,
      group: after.group,
    });
  }
  return after;
}

/** Moves the revision. @throws {AppError} `revision_conflict` with the current record, when it is not this one */
async function touch(context: AppContext, id: number, revision?: number): Promise<UserRecord> {
  return (await editAccount(context, { id, revision, isByOthers: true, change: () => ({ set: {} }) })).after;
}

/** Restores the edited fields, unless the record was changed since. */
async function restore(context: AppContext, { before, after }: Edited<UserRecord>): Promise<void> {
  const { username, display_name, group, password_hash } = before;
  const set = {
    ...(username === after.username ? {} : { username }),
    ...(display_name === after.display_name ? {} : { display_name }),
    ...(group === after.group ? {} : { group }),
    ...(password_hash === after.password_hash ? {} : { password_hash }),
  };
  if (Object.keys(set).length === 0) return;
  await editAccount(context, { id: before.id, revision: after.revision, change: () => ({ set }) }).catch((failure: unknown) => {
    if (!(failure instanceof AppError)) throw failure;
  });
}

/** Of the record as this edit has left it. */
type BalanceEdit = (revision: number) => Promise<LedgerResult>;

/** How the ledger is to do what the edit means; null when it means no change. @throws {AppError} for a negative balance */
function quotaChange(context: AppContext, actor: UserRecord, edit: UserEdit, user: UserRecord): BalanceEdit | null {
  const request = {
    account: 'user' as const,
    id: user.id,
    kind: 'edit',
    ref: `edit:${context.randomText(24)}`,
    actorId: actor.id,
    ...(edit.quota_reason === undefined ? {} : { reason: edit.quota_reason }),
  };
  if (edit.quota === undefined) {
    const { quota_change: amount = 0, quota_ref: name } = edit;
    // Another amount under the same name is another change.
    const ref = name === undefined ? request.ref : `edit:${user.id}:${name}:${amount}`;
    return () => context.ledger.change({ ...request, ref, amount });
  }
  const intended = requestedBalance(
    { balance: edit.quota, used: edit.used_quota },
    { balance: balanceOf(user), used: user.used_quota },
    'quota',
  );
  return intended === null ? null : (revision) => context.ledger.setBalance({ ...request, ...intended, revision });
}
