// Credit for something that was claimed first: a redemption code, a paid order. The claim is a record of its own that says who gets
// what; it stays due until it is known what became of the credit. Trying again is always harmless: ledger entry and log row have
// names that were fixed by the claim.
import { LogType } from '#shared/logs.ts';
import type { LogEvent } from '#shared/log-event.ts';
import type { AppContext } from '#server/context.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { changeOnce } from '#server/money/change-once.ts';
import type { ChangeOutcome } from '#server/money/change-once.ts';

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

/** @throws {DatabaseUnavailable} when the outcome is not known; the claim is still due then */
export async function creditOnce(context: AppContext, credit: DueCredit): Promise<ChangeOutcome> {
  const { userId, amount, ref, kind } = credit;
  const outcome = await changeOnce(context, { account: 'user', id: userId, amount, ref, kind, actorId: userId });
  if (outcome.state !== 'done') return outcome;
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
  return outcome;
}
