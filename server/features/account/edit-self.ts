import type { SelfEdit } from '#shared/account.ts';
import { AppError } from '#shared/errors.ts';
import { checkDisplayName, checkPassword, checkUsername } from '#server/accounts/account-input.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import { endAccess } from '#server/accounts/end-access.ts';
import { hashPassword, ownerSource, verifyPassword } from '#server/accounts/password.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Source } from '#server/queues/fair-queue.ts';
import type { Caller } from '#server/http/call.ts';
import { clearLimit, enforceLimit } from '#server/http/rate-limit.ts';

/** Wrong current passwords of one account. */
const passwordAttempts = { count: 10, windowSeconds: 900 };
/** New passwords of one account: each costs as much as a login. */
const passwordChanges = { count: 10, windowSeconds: 900 };

/** Own name, shown name or password. A new password ends all other sessions and the access token; answers whether it ended one. */
export async function editSelf(
  context: AppContext,
  caller: Caller,
  { edit, ip }: { edit: SelfEdit; ip: string },
): Promise<{ endedToken: boolean }> {
  const { user } = caller;
  const source = ownerSource(user.id, ip);
  const fields: Partial<Pick<UserRecord, 'username' | 'display_name' | 'password_hash'>> = {};
  if (edit.username !== undefined && edit.username !== '' && edit.username !== user.username)
    fields.username = checkUsername(edit.username);
  if (edit.display_name !== undefined && edit.display_name !== '' && edit.display_name !== user.display_name) {
    fields.display_name = checkDisplayName(edit.display_name);
  }
  if (edit.password !== undefined && edit.password !== '') {
    checkPassword(edit.password);
    await checkCurrentPassword(context, user, { given: edit.original_password, source });
    await enforceLimit(context, { key: `new-password:${user.id}`, ...passwordChanges });
    fields.password_hash = await hashPassword(edit.password, source);
  }
  if (Object.keys(fields).length === 0 && edit.revision === undefined) return { endedToken: false };
  await editAccount(context, { id: user.id, revision: edit.revision, change: () => ({ set: fields }) });
  return { endedToken: fields.password_hash !== undefined && (await endAccess(context, user.id, caller.sessionId)) };
}

/** Checked where it is given: the specified clients send only the new one. */
async function checkCurrentPassword(
  context: AppContext,
  user: UserRecord,
  { given, source }: { given: string | undefined; source: Source },
): Promise<void> {
  if (given === undefined || given === '' || user.password_hash === '') return;
  const key = `password:${user.id}`;
  await enforceLimit(context, { key, ...passwordAttempts });
  if (!(await verifyPassword(given, user.password_hash, source))) {
    throw new AppError('current_password_wrong', {}, { field: 'original_password' });
  }
  await clearLimit(context, key);
}
