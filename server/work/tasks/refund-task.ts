// Refunds a failed task exactly once: to the balances of user and token, and in their used amounts. The single change
// that ends a task decides on a refund (`follow-task.ts`), which is then due until confirmed. Retries are harmless:
// ledger entries and the log row have ids derived from the task.
import { quotaLogText } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { addChannelUse } from '#server/exchange/deleted-channels.ts';
import { findCharge, refundRest, writeRefund } from '#server/work/refund.ts';
import { resolveCharge } from './task-charge.ts';
import { callersName } from '#server/tasks/task-data.ts';
import { taskPlatforms } from '#server/tasks/platforms/registry.ts';

/** Milliseconds after which a due refund counts as abandoned. */
const abandonedAfter = 10_000;
const finishedAtOnce = 200;

/** Returns false if it must be retried. */
export async function refundTask(context: AppContext, failed: TaskRecord): Promise<boolean> {
  const task = await resolveCharge(context, failed);
  if (task.charge === 'open') return false;
  const tasks = context.db.collection('tasks');
  const where = { id: task.id, refund_due_at: { exists: true } };
  const paid = { ...task, token_reserved: task.token_quota };
  const due = await refundRest(context, { name: 'task', refundKind: 'task_refund' }, paid, task.charge === 'done' ? task.quota : 0);
  if (due === null) return false;
  if (due > 0) await reportRefund(context, task, due);
  const done = await tasks.patch(where, { set: { refunded_quota: due }, unset: ['refund_due_at', 'refund_log_id'] });
  // A figure for administrators, corrected once, by the process that completes the refund.
  if (done !== null && due > 0) await addChannelUse(context.db, task.channel_id, -due);
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

async function reportRefund(context: AppContext, task: TaskRecord, due: number): Promise<void> {
  const { settings } = context;
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  const name = callersName(task);
  const id = task.refund_log_id ?? (await context.db.nextId('logs'));
  await writeRefund(context, task, { id, due, charge: await findCharge(context, task) }, () => ({
    content: taskPlatforms[task.platform].refundText(name, quotaLogText(due, display)),
    event: { code: 'task_refunded', amount: due, task_id: name },
  }));
}
