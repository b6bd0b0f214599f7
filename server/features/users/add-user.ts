import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { Role } from '#shared/roles.ts';
import type { UserCreate } from '#shared/users.ts';
import type { z } from 'zod';
import { checkDisplayName, checkPassword, checkUsername } from '#server/accounts/account-input.ts';
import { createAccount } from '#server/accounts/create-account.ts';
import { hashPassword, ownerSource } from '#server/accounts/password.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { checkStays } from '#server/settings/group-moves.ts';

/** A normal user made by an administrator, whatever role the form carried: promoting is a step of its own. */
export async function addUser(context: AppContext, actor: UserRecord, input: z.output<typeof UserCreate>): Promise<void> {
  if (input.username.trim() === '') throw invalidField('username', fieldRules.required);
  if (input.password === '') throw invalidField('password', fieldRules.required);
  const username = checkUsername(input.username);
  checkPassword(input.password);
  const displayName = checkDisplayName(input.display_name ?? '');
  if ((input.role ?? Role.guest) >= actor.role) throw new AppError('user_create_denied', {}, { field: 'role' });
  const { group } = input;
  if (group !== undefined && context.settings.get('GroupRatio')[group] === undefined) {
    throw new AppError('group_unknown', { group }, { field: 'group' });
  }
  checkStays(context.settings, group);
  await createAccount(context, {
    username,
    displayName: displayName === '' ? username : displayName,
    passwordHash: await hashPassword(input.password, ownerSource(actor.id)),
    actorId: actor.id,
    ...(group === undefined ? {} : { group }),
    opening: input.quota ?? 0,
  });
}
