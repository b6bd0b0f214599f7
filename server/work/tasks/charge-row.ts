// Log row of a submitted task: one price, no tokens.
import type { Attempt, LogOther } from '#shared/logs.ts';
import { LogType } from '#shared/logs.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import type { ChargeRow } from '#server/money/settlement/settlement.ts';
import { callersName } from '#server/tasks/task-data.ts';
import type { TaskCall } from './submit-task.ts';

interface Charged {
  task: TaskRecord;
  attempts: Attempt[];
  quoted: QuotedPrice;
  quota: number;
}

export function taskChargeRow(call: TaskCall, { task, attempts, quoted, quota }: Charged): ChargeRow {
  const { services, admission, startedAt, submission } = call;
  const duration = Math.round((performance.now() - startedAt) * 1000) / 1000;
  const { price, groupRatio, quotaPerUnit } = quoted;
  const other: LogOther = {
    model_price: price.kind === 'call' ? price.modelPrice : -1,
    group_ratio: groupRatio,
    quota_per_unit: quotaPerUnit,
    task: { action: task.action, id: callersName(task) },
    ...(submission.units === undefined ? {} : { units: submission.units }),
    duration_ms: duration,
    attempts,
    admin_info: { use_channel: attempts.map((attempt) => String(attempt.channel)) },
  };
  return {
    user_id: task.user_id,
    created_at: task.created_at,
    type: LogType.consumption,
    username: task.username,
    token_name: admission.tokenName,
    model_name: task.model,
    quota,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: Math.round(duration / 1000),
    is_stream: false,
    channel_id: task.channel_id,
    token_id: task.token_id,
    group: admission.group,
    other,
    request_id: task.request_id,
    ...(services.context.settings.get('LogConsumeEnabled') ? {} : { hidden: true }),
  };
}
