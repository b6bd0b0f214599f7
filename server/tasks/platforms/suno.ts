// Suno APIs.
import { taskStatuses } from '#shared/tasks.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { idsOf, type ReportedFields, type TaskPlatform, type TaskReport } from './platform.ts';
import { idOf, jsonOf, momentOf, progressOf, textOf } from './report-values.ts';

const known: ReadonlySet<string> = new Set(taskStatuses);

export const suno: TaskPlatform = {
  name: 'suno',
  timeout: 3600_000,
  requestedAtOnce: 100,
  serves: ({ tasks }) => tasks === 'suno',
  question: (_channel, tasks) => ({ path: '/suno/fetch', body: Buffer.from(JSON.stringify({ ids: idsOf(tasks) })) }),
  readAnswer(answer) {
    if (!isObject(answer) || answer['code'] !== 'success') return null;
    const { data } = answer;
    return Array.isArray(data) ? data.map(readTask).filter((report) => report !== null) : null;
  },
  refundText: (upstreamId, amount) => `异步任务执行失败 ${upstreamId}，补偿 ${amount}`,
};

function readTask(value: unknown): TaskReport | null {
  if (!isObject(value)) return null;
  const upstreamId = idOf(value['task_id']);
  if (upstreamId === '') return null;
  const fields = fieldsOf(value);
  if (fields.status === 'SUCCESS') return { upstreamId, outcome: 'succeeded', fields: { ...fields, progress: '100%' } };
  if (fields.status !== 'FAILURE' && fields.fail_reason === undefined) return { upstreamId, outcome: 'running', fields };
  return { upstreamId, outcome: 'failed', fields: { ...fields, status: 'FAILURE', progress: '100%' } };
}

/** Missing fields stay unchanged. */
function fieldsOf(value: Record<string, unknown>): ReportedFields {
  const said = textOf(value['status']).toUpperCase();
  const failReason = textOf(value['fail_reason']);
  const data = jsonOf(value['data']);
  const progress = progressOf(value['progress']);
  // The upstream reports seconds.
  const start = momentOf(value['start_time'], 1000);
  const finish = momentOf(value['finish_time'], 1000);
  return {
    ...(known.has(said) ? { status: said } : {}),
    ...(failReason === '' ? {} : { fail_reason: failReason }),
    ...(data === '' ? {} : { data }),
    ...(progress === undefined ? {} : { progress }),
    ...(start === undefined ? {} : { start_time: start }),
    ...(finish === undefined ? {} : { finish_time: finish }),
  };
}
