// Transfers invite earnings to the balance: one update removes them from `aff_quota` and records the transfer, the
// ledger credits them once under the same reference, then the record of the transfer is removed. Any process that finds
// one continues it, also after a crash.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { TransferInput } from '#shared/account-actions.ts';
import { LogType } from '#shared/logs.ts';
import { quotaText } from '#server/accounts/quota-text.ts';
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import { onField } from '#server/db/collection.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';

type TransferContext = Pick<AppContext, 'db' | 'ledger' | 'settings' | 'now' | 'randomText'>;

/** Time for which the account stores references; the ledger stores them for ever. */
const rememberedMs = 24 * 3600 * 1000;
/** Retries while other transfers of the same account run: about three seconds in total. */
const tries = 20;
const firstPauseMs = 5;
const longestPauseMs = 250;
const generatedName = 20;
const finishedAtOnce = 100;

/**
 * Moves earnings of `user` to the balance; returns the updated account.
 * @throws {AppError} `aff_transfer_small`, `aff_transfer_unfunded`, `balance_too_large`, `user_not_found`
 */
export async function transferEarnings(context: TransferContext, { id }: UserRecord, input: TransferInput): Promise<UserRecord> {
  const { settings } = context;
  if (input.quota < settings.get('QuotaPerUnit')) {
    const minimum = quotaText(context, Math.ceil(settings.get('QuotaPerUnit')));
    throw new AppError('aff_transfer_small', { minimum }, { field: 'quota' });
  }
  const name = input.ref ?? context.randomText(generatedName);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    // Yields to the process that holds the transfer.
    if (attempt > 0) await sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** attempt));
    const current = await livingUser(context, id);
    if (current.transfer_ref !== undefined) {
      await finishTransfer(context, current);
      continue;
    }
    if (current.transfers !== undefined && Object.hasOwn(current.transfers, name)) return current;
    const known = await entryOf(context, id, name);
    if (known?.state === 'void') throw new AppError('balance_too_large');
    if (known !== null) return current;
    if (current.aff_quota < input.quota) throw new AppError('aff_transfer_unfunded', {}, { field: 'quota' });
    const begun = await beginTransfer(context, current, { name, amount: input.quota });
    if (begun === null) continue;
    await finishTransfer(context, begun);
    return livingUser(context, id);
  }
  throw new AppError('rate_limited', {}, { retryAfter: 1 });
}

/** Continues transfers of dead processes. */
export async function finishTransfers(context: TransferContext): Promise<void> {
  const users = context.db.collection('users');
  await eachDue({
    items: await users.find({ transfer_at: { gt: 0 } }, { sort: [['transfer_at', 1]], limit: finishedAtOnce }),
    work: (user) =>
      finishTransfer(context, user).catch((failure: unknown) => {
        if (!(failure instanceof AppError)) throw failure;
      }),
    postpone: ({ id }) => users.patch({ id, transfer_at: { exists: true } }, { set: { transfer_at: context.now() } }),
  });
}

/** Returns null if the account has changed meanwhile. */
async function beginTransfer(
  { db, now }: TransferContext,
  user: UserRecord,
  { name, amount }: { name: string; amount: number },
): Promise<UserRecord | null> {
  const at = now();
  const old = Object.entries(user.transfers ?? {}).filter(([, since]) => since < at - rememberedMs);
  return db.collection('users').patch(
    {
      and: [
        { id: user.id, DeletedAt: null, aff_quota: { gte: amount }, transfer_ref: { exists: false } },
        onField<UserRecord, `transfers.${string}`>(`transfers.${name}`, { exists: false }),
      ],
    },
    {
      increment: { aff_quota: -amount, [`transfers.${name}`]: at },
      set: { transfer_ref: name, transfer_amount: amount, transfer_at: at },
      ...(old.length === 0 ? {} : { unset: old.map(([key]) => `transfers.${key}` as const) }),
    },
  );
}

/**
 * Credits the transfer, or returns it if the balance cannot accept it. Returns false if it is still in progress.
 * @throws {AppError} `balance_too_large`
 */
async function finishTransfer(context: TransferContext, user: UserRecord): Promise<boolean> {
  const { transfer_ref: name, transfer_amount: amount } = user;
  if (name === undefined || amount === undefined) return false;
  const users = context.db.collection('users');
  const noted = { id: user.id, transfer_ref: name };
  const note = ['transfer_ref', 'transfer_amount', 'transfer_at'] as const;
  try {
    const credit = await context.ledger.change({
      account: 'user',
      id: user.id,
      amount,
      kind: 'transfer',
      ref: ledgerName(user.id, name),
      actorId: user.id,
    });
    // Another process, or the one that settles its books, continues it.
    if (!credit.isNew && (await entryOf(context, user.id, name))?.state === 'open') return false;
    // The process that removes the record writes the log row, because the one that credited it may have died.
    const ended = await users.patch(noted, { unset: note });
    if (ended !== null) await noteTransfer(context, user, amount);
    return true;
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    // The ledger has voided it permanently.
    await users.patch(noted, { unset: [...note, `transfers.${name}`], increment: { aff_quota: amount } });
    throw new AppError('balance_too_large', {}, { cause: failure });
  }
}

function noteTransfer(context: TransferContext, user: UserRecord, amount: number): Promise<void> {
  return writeLog(context, {
    user_id: user.id,
    username: user.username,
    type: LogType.system,
    content: `邀请收益划转 ${quotaText(context, amount)}`,
    event: { code: 'earnings_transferred', amount },
    group: user.group,
  });
}

function entryOf({ db }: TransferContext, userId: number, name: string): Promise<LedgerRecord | null> {
  return db.collection('ledger').first({ ref: ledgerName(userId, name) });
}

function ledgerName(userId: number, name: string): string {
  return `transfer:${userId}:${name}`;
}

async function livingUser({ db }: TransferContext, id: number): Promise<UserRecord> {
  const user = await db.collection('users').get(id);
  if (user === null || user.DeletedAt !== null) throw new AppError('user_not_found');
  return user;
}
