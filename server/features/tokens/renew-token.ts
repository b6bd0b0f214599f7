import { AppError } from '#shared/errors.ts';
import type { TokenRenewal } from '#shared/tokens.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { newKeyFields } from '#server/tokens/insert-token.ts';
import { endingOfToken } from '#server/tokens/key-endings.ts';
import { oldKeysOf, storedOldKeys, withReplaced } from '#server/tokens/old-keys.ts';
import { presentMasked } from './present-token.ts';
import { ownToken } from './store.ts';

/** Gives an own token a new secret; the one before is accepted for as long as requested, earlier ones as long as promised. @throws {AppError} `not_found`, `revision_conflict` */
export async function renewToken(
  context: AppContext,
  owner: UserRecord,
  { id, old_key_seconds: seconds, revision, key }: TokenRenewal & { id: number; key?: string },
): Promise<TokenRecord> {
  const fields = newKeyFields(context, key);
  const now = Math.floor(context.now() / 1000);
  const until = now + seconds;
  // With the lock of other edits: one that also changes the balance writes the record twice.
  const edited = await withEditLock(context, `token:${id}`, () =>
    editRecord(context, 'tokens', {
      id,
      where: ownToken(owner.id, id),
      revision,
      change: (token) => {
        const { set, unset = [] } = storedOldKeys(
          withReplaced(oldKeysOf(token), { hash: token.key_hash, until, ending: endingOfToken(context, token) }, now),
        );
        return { set: { ...set, ...fields }, unset: [...unset, 'key_ending'] };
      },
      present: (token) => presentMasked(context, token),
    }),
  );
  if (edited === null) throw new AppError('not_found');
  return edited.after;
}

/** Refuses all old secrets from now on; without one nothing changes. @throws {AppError} `not_found` */
export async function endOldKey(context: AppContext, owner: UserRecord, id: number): Promise<TokenRecord> {
  const now = Math.floor(context.now() / 1000);
  const edited = await editRecord(context, 'tokens', {
    id,
    where: ownToken(owner.id, id),
    change(token) {
      const keys = oldKeysOf(token);
      const ended = keys.map((one) => ({ ...one, until: Math.min(one.until, now) }));
      return keys.every(({ until }) => until <= now) ? null : storedOldKeys(ended);
    },
  });
  if (edited === null) throw new AppError('not_found');
  return edited.after;
}
