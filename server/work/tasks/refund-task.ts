// Refunds a failed task exactly once: to the balances of user and token, and in their used amounts. The single change
// that ends a task decides on a refund (`follow-task.ts`), which is then due until confirmed. Retries are harmless:
// ledger entries and the log row have ids derived from the task.
import { LogType } from '#shared/logs.ts';
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { writeLog } from '#server/logs/write-log.ts';
import type { AccountKind } from '#server/money/account.ts';
import { changeOnce } from '#server/money/change-once.ts';
import type { ChangeOutcome } from '#server/money/change-once.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { resolveCharge } from './task-charge.ts';
import { callersName } from '#server/tasks/task-data.ts';
import { taskPlatforms } from '#server/tasks/platforms/registry.ts';

/** Milliseconds after which a due refund counts as abandoned. */
const abandonedAfter = 10_000;
const finishedAtOnce = 200;

/** Returns false if it must be retried. */
export async function refundTask(context: AppContext, due: TaskRecord): Promise<boolean> {
  const task = await resolveCharge(context, due);
  if (task.charge === 'open') return false;
  const tasks = context.db.collection('tasks');
  const where = { id: task.id, refund_due_at: { exists: true } };
  if (task.charge === 'none' || task.quota === 0) {
    await tasks.patch(where, { unset: ['refund_due_at', 'refund_log_id'] });
    return true;
  }
  const outcome = await giveBack(context, task, { account: 'user', id: task.user_id, amount: task.quota });
  if (outcome === 'open') return false;
  if (task.token_id !== 0) {
    const ofToken = await giveBack(context, task, { account: 'token', id: task.token_id, amount: task.token_quota });
    if (ofToken === 'open') return false;
  }
  const isRefused = outcome === 'refused';
  if (isRefused)
    context.log.error({ task: task.id }, 'a task that failed could not be refunded: its account is gone, or holds all that it can');
  else await reportOf(context, task);
  const done = await tasks.patch(where, {
    set: { refunded_quota: isRefused ? 0 : task.quota },
    unset: ['refund_due_at', 'refund_log_id'],
  });
  // A figure for administrators, corrected once, by the process that completes the refund.
  if (done !== null && !isRefused) await addChannelUse(context.db, task.channel_id, -task.quota);
  return true;
}

/** Completes abandoned refunds. */
export async function finishRefunds(context: AppContext): Promise<number> {
  const before = context.now() - abandonedAfter;
  const tasks = context.db.collection('tasks');
  const items = await tasks.find({ refund_due_at: { lt: before } }, { sort: [['refund_due_at', 1]], limit: finishedAtOnce });
  await eachDue({
    items,
    work: (task) => refundTask(context, task),
    postpone: ({ id }) => tasks.patch({ id, refund_due_at: { exists: true } }, { set: { refund_due_at: context.now() } }),
  });
  return items.length;
}

async function giveBack(
  context: AppContext,
  task: TaskRecord,
  account: { account: AccountKind; id: number; amount: number },
): Promise<ChangeOutcome['state']> {
  const ref = `task:${task.id}:refund:${account.account}`;
  return (await changeOnce(context, { ...account, unused: task.quota, ref, kind: 'task_refund', actorId: 0 })).state;
}

async function reportOf(context: AppContext, task: TaskRecord): Promise<void> {
  const { settings } = context;
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const id = callersName(task);
  const charge = await context.db.collection('logs').first({ request_id: task.request_id, type: LogType.consumption });
  await writeLog(context, {
    ...(task.refund_log_id === undefined ? {} : { id: task.refund_log_id }),
    user_id: task.user_id,
    username: task.username,
    type: LogType.system,
    request_id: task.request_id,
    ...chargedTo(task, charge),
    // A charge hidden from the list has no visible refund.
    ...(charge?.hidden === true ? {} : { refunded: task.quota }),
    content: taskPlatforms[task.platform].refundText(id, quotaLogText(task.quota, display)),
    event: { code: 'task_refunded', amount: task.quota, task_id: id },
  });
}

/** Dimensions of the charge, for the refund: from its row, or from the task if the row was deleted. */
function chargedTo(
  task: TaskRecord,
  charge: LogRecord | null,
): Pick<LogRecord, 'token_name' | 'token_id' | 'model_name' | 'channel_id' | 'group'> {
  const { token_id, channel_id, model } = task;
  return { token_id, channel_id, model_name: model, token_name: charge?.token_name ?? '', group: charge?.group ?? '' };
}
