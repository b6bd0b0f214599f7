import { AppError } from '#shared/errors.ts';
import { type KeyDestination, movesKey } from '#shared/key-destination.ts';
import { Role } from '#shared/roles.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/**
 * Checks every use of a stored key with other data than those stored with it: only the super admin can send a key to a new destination. Other
 * administrators must enter the key again. @throws {AppError} `channel_key_needed`
 */
export function checkKeyDestination(actor: Pick<UserRecord, 'role'>, before: KeyDestination, after: KeyDestination): void {
  if (actor.role >= Role.root || !movesKey(before, after)) return;
  throw new AppError('channel_key_needed', {}, { field: 'key' });
}
