// Log row of a submitted task: one price, no tokens.
import type { Attempt, LogOther } from '#shared/logs.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { callersName } from '#server/tasks/task-data.ts';
import { chargeRow } from '#server/work/pay.ts';
import type { TaskCall } from './submit-task.ts';

interface Charged {
  task: TaskRecord;
  attempts: Attempt[];
  quoted: QuotedPrice;
  quota: number;
}

export function taskChargeRow(call: TaskCall, { task, attempts, quoted, quota }: Charged): ReturnType<typeof chargeRow> {
  const { services, admission, startedAt, submission } = call;
  const duration = Math.round((performance.now() - startedAt) * 1000) / 1000;
  const { price, groupRatio, quotaPerUnit } = quoted;
  const other: LogOther = {
    model_price: price.kind === 'call' ? price.modelPrice : -1,
    group_ratio: groupRatio,
    quota_per_unit: quotaPerUnit,
    task: { action: task.action, id: callersName(task) },
    units: submission.units,
    duration_ms: duration,
    attempts,
    admin_info: { use_channel: attempts.map((attempt) => String(attempt.channel)) },
  };
  const payer = { ...task, token_name: admission.tokenName, group: admission.group };
  const row = chargeRow(services.context, payer, { quota, other });
  return { ...row, created_at: task.created_at, use_time: Math.round(duration / 1000) };
}
