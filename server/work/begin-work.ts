// Work is stored before its input is read, so that it counts among its owner's at once.
import { ownerFields } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { PrepaidWork } from '#server/db/records/prepaid-work.ts';
import type { StoredCaller } from '#server/objects/serve-caller.ts';
import { FileBroken } from './read-lines.ts';
import { creationMs, type WorkKind } from './work-kind.ts';

type Owned = Pick<PrepaidWork, 'user_id' | 'member_id' | 'username' | 'token_id' | 'token_name' | 'group' | 'request_id' | 'open_user_id'>;

/** Fields that say whose work it is. */
export function ownedBy({ admission, userId, memberId, requestId }: StoredCaller): Owned {
  return {
    ...ownerFields({ userId, memberId }),
    username: admission.user.username,
    token_id: admission.token.id,
    token_name: admission.tokenName,
    group: admission.group,
    request_id: requestId,
    open_user_id: userId,
  };
}

type Begun = Pick<
  PrepaidWork,
  'upstream_id' | 'quoted' | 'reserved' | 'token_reserved' | 'cost' | 'log_id' | 'process' | 'created_at' | 'poll_at'
> & { state: 'checking'; charge: 'none' };

/** Fields of work whose input is about to be checked. */
export function newWork({ now, ledger }: Pick<AppContext, 'now' | 'ledger'>): Begun {
  return {
    upstream_id: '',
    state: 'checking',
    quoted: '',
    reserved: 0,
    token_reserved: 0,
    charge: 'none',
    process: ledger.processId,
    cost: 0,
    log_id: 0,
    created_at: Math.floor(now() / 1000),
    poll_at: now() + creationMs,
  };
}

/**
 * Checks the input of work and creates it; work that is refused leaves nothing.
 * @throws {AppError}
 */
export async function createOrRemove<Work extends PrepaidWork>(
  { db }: Pick<AppContext, 'db'>,
  kind: WorkKind<Work>,
  { id }: Work,
  create: () => Promise<Work>,
): Promise<Work> {
  try {
    return await create();
  } catch (failure) {
    // Work that got further is no longer `checking`, and stays.
    await kind.records(db).remove({ id, state: 'checking' });
    throw failure instanceof FileBroken ? new AppError('upstream_truncated', {}, { cause: failure }) : failure;
  }
}
