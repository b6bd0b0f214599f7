// Credit for something that was claimed first: a redemption code, a paid order. The claim is a record of its own that says who gets
// what; it stays due until it is known what became of the credit. Trying again is always harmless: ledger entry and log row have
// names that were fixed by the claim.
import { AppError } from '#shared/errors.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import type { LogEvent } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import { writeLog } from '#server/logs/write-log.ts';

export interface DueCredit {
  userId: number;
  /** Quota. */
  amount: number;
  /** Name of the ledger entry. */
  ref: string;
  kind: string;
  /** Of the log row that tells of it. */
  logId: number;
  content: string;
  event: LogEvent;
}

/** `open`: the entry is written and is being applied by somebody; ask again later. `refused`: it is never applied. */
export type CreditOutcome = { state: 'credited' | 'open' } | { state: 'refused'; reason: AppError };

const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['balance_too_large', 'balance_too_small', 'not_found']);

/** @throws {DatabaseUnavailable} when the outcome is not known; the claim is still due then */
export async function creditOnce(context: AppContext, credit: DueCredit): Promise<CreditOutcome> {
  const { userId, amount, ref, kind } = credit;
  try {
    const result = await context.ledger.change({ account: 'user', id: userId, amount, ref, kind, actorId: userId });
    // Another attempt wrote the entry, and may not have come to its end.
    if (!result.isNew && !(await isDone(context, ref))) return { state: 'open' };
  } catch (failure) {
    if (failure instanceof AppError && refusals.has(failure.code)) return { state: 'refused', reason: failure };
    throw failure;
  }
  const user = await context.db.collection('users').get(userId);
  await writeLog(context, {
    id: credit.logId,
    user_id: userId,
    username: user?.username ?? '',
    type: LogType.topUp,
    content: credit.content,
    event: credit.event,
    group: user?.group ?? '',
  });
  return { state: 'credited' };
}

async function isDone({ db }: AppContext, ref: string): Promise<boolean> {
  return (await db.collection('ledger').first({ ref }))?.state === 'done';
}
