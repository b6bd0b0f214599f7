// Credits something that was claimed first: a redemption code, a paid order. The claim's record names the receiver; it
// stays due until the outcome of the credit is known. Retries are harmless: ledger entry and log row have references
// fixed by the claim.
import { LogType } from '#shared/logs.ts';
import type { LogEvent } from '#shared/log-event.ts';
import type { AppContext } from '#server/context.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { changeOnce, type ChangeOutcome } from '#server/money/change-once.ts';

export interface DueCredit {
  userId: number;
  /** Quota. */
  amount: number;
  /** Reference of the ledger entry. */
  ref: string;
  kind: string;
  /** Id of the log row about it. */
  logId: number;
  content: string;
  event: LogEvent;
}

/** @throws {DatabaseUnavailable} if the outcome is unknown; the claim stays due */
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
