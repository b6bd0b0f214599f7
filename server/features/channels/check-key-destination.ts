import { AppError } from '#shared/errors.ts';
import { movesKey } from '#shared/key-destination.ts';
import type { KeyDestination } from '#shared/key-destination.ts';
import { Role } from '#shared/roles.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/**
 * For every use of a stored key with other data than those it is stored with: only the super admin can send it where it has
 * not been sent before. Whoever knows the key can enter it again. @throws {AppError} `channel_key_needed`
 */
export function checkKeyDestination(actor: Pick<UserRecord, 'role'>, before: KeyDestination, after: KeyDestination): void {
  if (actor.role >= Role.root || !movesKey(before, after)) return;
  throw new AppError('channel_key_needed', {}, { field: 'key' });
}
