// Refunds what a charge exceeds its cost by, exactly once, and writes the row that reports it. Retries are harmless: ledger
// entries and the row have ids derived from the work.
import type { LogEvent } from '#shared/log-event.ts';
import { LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { type PaidAhead, refundUnused } from '#server/money/refund-unused.ts';

interface Refunding {
  /** In references of ledger entries and in the process's log: `batch`. */
  name: string;
  /** Kind of the ledger entries. */
  refundKind: string;
}

/**
 * Returns what was refunded, 0 if the account cannot hold it; null if it must be retried.
 * @param rest negative for a cost above the charge
 */
export async function refundRest(
  context: AppContext,
  { name, refundKind: kind }: Refunding,
  work: PaidAhead & { id: string | number },
  rest: number,
): Promise<number | null> {
  if (rest === 0) return 0;
  const refOf = (account: string) => `${name}:${work.id}:refund:${account}`;
  const isDone = await refundUnused(context, work, { rest, kind, refOf });
  if (isDone === false)
    context.log.error(
      { [name]: work.id, quota: rest },
      'the unused part of a prepayment could not be refunded, or the excess not be charged',
    );
  return isDone === null ? null : isDone ? rest : 0;
}

/** Row of the charge; null if it was deleted or never written. */
export function findCharge({ db }: Pick<AppContext, 'db'>, { request_id }: { request_id: string }): Promise<LogRecord | null> {
  return db.collection('logs').first({ request_id, type: LogType.consumption });
}

interface Refunded extends Pick<LogRecord, 'user_id' | 'username' | 'token_id' | 'channel_id'> {
  model: string;
  request_id: string;
  /** The charge's if undefined. */
  token_name?: string;
  group?: string;
}

/**
 * Writes the row about a refund or an end under an id drawn before.
 * @param describe its text and event; `order`: id of the charge's row, undefined if that is not shown
 */
export async function writeRefund(
  context: AppContext,
  work: Refunded,
  { id, due, charge }: { id: number; due: number; charge: LogRecord | null },
  describe: (order: { order?: number }) => { content: string; event: LogEvent },
): Promise<void> {
  // A charge hidden from the list has no visible refund.
  const isShown = charge?.hidden !== true;
  await writeLog(context, {
    id,
    user_id: work.user_id,
    username: work.username,
    type: LogType.system,
    token_id: work.token_id,
    token_name: work.token_name ?? charge?.token_name ?? '',
    model_name: work.model,
    channel_id: work.channel_id,
    group: work.group ?? charge?.group ?? '',
    request_id: work.request_id,
    ...(isShown && due !== 0 ? { refunded: due } : {}),
    ...describe(isShown && charge !== null ? { order: charge.id } : {}),
  });
}
