// Moves a key to another token. The key gets a new token, so that rows, usage and running calls stay with the one who paid for them; of the former token
// only the key, its limits and what is left of its quota, which is a limit and no money, go along; within one account its budgets and rate limits continue. The key is accepted at every moment: a look-up prefers
// current keys to replaced ones, so the former token holds it as a replaced one until the new token has it. Every step may be repeated.
import { AppError } from '#shared/errors.ts';
import { mostOldKeys, TokenStatus } from '#shared/tokens.ts';
import { checkRecordIsFree } from '#server/audit-log/managed-records.ts';
import { countedId } from '#server/accounts/stored-limits.ts';
import { movedBounds } from '#server/accounts/member-bounds.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf, emptyMoney } from '#server/money/account.ts';
import { isSameGroup } from '#server/settings/group-moves.ts';
import { mayUseGroup } from '#server/settings/usable-groups.ts';
import { endingOfToken } from '#server/tokens/key-endings.ts';
import { oldKeysOf, storedOldKeys } from '#server/tokens/old-keys.ts';

/** A move that is not done after this time was interrupted. */
const abandonedMs = 30_000;
/** The former token accepts the key for so long at most, if the move is interrupted at that point. */
const heldSeconds = 90 * 86_400;

/** Job: ends moves that were interrupted. */
export async function finishKeyMoves(context: AppContext): Promise<void> {
  const before = context.now() - abandonedMs;
  const tokens = await context.db
    .collection('tokens')
    .find({ moving_at: { gt: 0, lte: before } }, { sort: [['moving_at', 1]], limit: 100 });
  for (const { id } of tokens) await withEditLock(context, `token:${id}`, () => finish(context, id));
}

/**
 * Gives the key of an organisation's token to another member or a service account of it. The key gets a new token, so that usage until then stays with
 * the former one.
 * @throws {AppError} `not_found`, `token_moving`
 */
export function handOverToken(
  context: AppContext,
  { id, actorId, owner, standing }: { id: number; actorId: number; owner: UserRecord; standing: TokenStanding },
): Promise<TokenRecord> {
  return withEditLock(context, `token:${id}`, async () => {
    return moveKey(context, { actorId, owner, target: owner, id, standing });
  });
}

/** Of the new token, in an organisation. Without a status, that of the former one. */
export type TokenStanding = Pick<TokenRecord, 'member_id' | 'team_id'> & Partial<Pick<TokenRecord, 'status'>>;

export interface KeyMove {
  /** Token that has the key. */
  id: number;
  /** 0 for the system. */
  actorId: number;
  owner: UserRecord;
  target: UserRecord;
  /** Revision that the move is based on; if undefined, the stored one. */
  revision?: number | undefined;
  standing?: TokenStanding;
  /** Presents the current token in a conflict. */
  present?(token: TokenRecord): unknown;
}

/** Under a lock of the token. Returns the new token. @throws {AppError} `not_found`, `token_moving`, `revision_conflict` */
export async function moveKey(
  context: AppContext,
  { id, actorId, owner, target, revision, standing, present }: KeyMove,
): Promise<TokenRecord> {
  const movedTo = await context.db.nextId('tokens');
  const edited = await editRecord(context, 'tokens', {
    id,
    where: { user_id: owner.id, DeletedAt: null },
    revision,
    change(token) {
      if (token.moved_to !== undefined) throw new AppError('token_moving');
      if (owner.id !== target.id) checkRecordIsFree('tokens', token, { ...token, user_id: target.id });
      return { set: { moved_to: movedTo, moving_at: context.now(), moving_by: actorId } };
    },
    ...(present === undefined ? {} : { present }),
  });
  if (edited === null) throw new AppError('not_found');
  await insertMoved(context, edited.after, target, standing ?? standingWith(target));
  await finish(context, id);
  const moved = await context.db.collection('tokens').get(movedTo);
  if (moved === null) throw new AppError('not_found');
  return moved;
}

/** A key that is moved to an organisation becomes that of a service account. */
function standingWith({ kind }: UserRecord): Pick<TokenRecord, 'member_id' | 'team_id'> {
  return kind === 'organisation' ? { member_id: 0 } : {};
}

/** The new token, which has no key yet. */
async function insertMoved(context: AppContext, token: TokenRecord, target: UserRecord, standing: TokenStanding): Promise<void> {
  const { settings, db } = context;
  const { moved_to: id = 0, group } = token;
  const staysInGroup = group === '' || mayUseGroup(settings, target.group, group) || isSameGroup(settings, group, target.group);
  const record: TokenRecord = {
    ...withoutKeys(token),
    ...standing,
    id,
    user_id: target.id,
    key_hash: placeOf(id),
    group: staysInGroup ? group : '',
    remain_quota: 0,
    used_quota: 0,
    revision: 1,
    moved_from: token.id,
    // Another account begins with its own figures.
    ...(token.user_id === target.id ? { counts_as: countedId(token) } : {}),
    ...(token.user_id === target.id ? { ...movedBounds(token), ...stopIn(token) } : {}),
    ...(token.app_of === undefined ? {} : { app_of: target.id }),
    ...emptyMoney(),
    // The oldest of five replaced keys has no place in the former token while that holds the current one, too.
    ...storedOldKeys(oldKeysOf(token).slice(mostOldKeys - 1)).set,
  };
  await db.write([{ insert: record, into: 'tokens', ignoreConflict: true }]);
}

function withoutKeys(token: TokenRecord): TokenRecord {
  const copy = { ...token };
  const { unset = [] } = storedOldKeys([]);
  for (const field of [
    ...unset,
    'moved_to',
    'moving_at',
    'moving_by',
    'charged_quota',
    'fencing_tokens',
    'audited',
    'member_id',
    'team_id',
    'counts_as',
    'member_bounds',
    'member_stop',
  ] as const) {
    Reflect.deleteProperty(copy, field);
  }
  return copy;
}

function stopIn({ member_stop: stop }: TokenRecord): Pick<TokenRecord, 'member_stop'> {
  return stop === undefined ? {} : { member_stop: stop };
}

/** Stands for the key of a token that has none. No hash contains a colon. */
function placeOf(id: number): string {
  return `moved:${id}`;
}

async function finish(context: AppContext, id: number): Promise<void> {
  const { db, ledger } = context;
  const tokens = db.collection('tokens');
  const token = await tokens.get(id);
  if (token?.moved_to === undefined || token.moving_at === undefined) return;
  const moved = await tokens.get(token.moved_to);
  if (moved === null) {
    // Interrupted before the new token was stored: nothing has happened.
    await editRecord(context, 'tokens', { id, change: () => ({ set: {}, unset: ['moved_to', 'moving_at', 'moving_by'] }) });
    return;
  }
  const left = balanceOf(token);
  const grant = {
    account: 'token' as const,
    id: moved.id,
    kind: 'token_grant',
    ref: `token:${moved.id}:grant`,
    actorId: token.moving_by ?? 0,
  };
  if (left > 0) await ledger.change({ ...grant, amount: left });
  const until = Math.floor(context.now() / 1000) + heldSeconds;
  await editRecord(context, 'tokens', {
    id,
    change(current) {
      if (current.key_hash === placeOf(id)) return null;
      const keys = [{ hash: current.key_hash, until, ending: endingOfToken(context, current) }, ...oldKeysOf(current)];
      const { set, unset = [] } = storedOldKeys(keys.slice(0, mostOldKeys));
      return { set: { ...set, key_hash: placeOf(id) }, unset };
    },
  });
  const holding = await tokens.get(id);
  if (holding === null) return;
  const [current, ...others] = oldKeysOf(holding);
  await editRecord(context, 'tokens', {
    id: moved.id,
    change(record) {
      if (record.key_hash !== placeOf(record.id) || current === undefined) return null;
      const { set, unset = [] } = storedOldKeys([...others, ...oldKeysOf(record)].slice(0, mostOldKeys));
      return { set: { ...set, key_hash: current.hash }, unset };
    },
  });
  const { unset = [] } = storedOldKeys([]);
  await editRecord(context, 'tokens', {
    id,
    change: (former) => ({
      set: {
        DeletedAt: former.DeletedAt ?? new Date(context.now()).toISOString(),
        status: TokenStatus.disabled,
        key_cipher: '',
        ending: '',
      },
      unset: [...unset, 'moving_at', 'moving_by', 'key_ending'],
    }),
  });
}
