// Midjourney proxies.
import { drawingStatuses } from '#shared/drawings.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { idsOf, type ReportedFields, type TaskPlatform, type TaskReport } from './platform.ts';
import { idOf, jsonOf, momentOf, progressOf, textOf, urlOf } from './report-values.ts';

const known: ReadonlySet<string> = new Set(drawingStatuses);

export const midjourney: TaskPlatform = {
  name: 'midjourney',
  timeout: 3600_000,
  requestedAtOnce: 100,
  serves: ({ tasks }) => tasks === 'midjourney',
  question: (_channel, tasks) => ({ path: '/mj/task/list-by-condition', body: Buffer.from(JSON.stringify({ ids: idsOf(tasks) })) }),
  readAnswer: (answer) => (Array.isArray(answer) ? answer.map(readDrawing).filter((report) => report !== null) : null),
  refundText: (upstreamId, amount) => `构图失败 ${upstreamId}，补偿 ${amount}`,
};

/** Returns null if it is no drawing. */
export function readDrawing(value: unknown): TaskReport | null {
  if (!isObject(value)) return null;
  const upstreamId = idOf(value['id']);
  if (upstreamId === '') return null;
  const fields = fieldsOf(value);
  const { status, progress, fail_reason: failReason = '' } = fields;
  if (status === 'SUCCESS') return { upstreamId, outcome: 'succeeded', fields: { ...fields, progress: '100%' } };
  const isFailed = status === 'FAILURE' || (failReason !== '' && progress !== '100%');
  if (!isFailed) return { upstreamId, outcome: 'running', fields };
  return { upstreamId, outcome: 'failed', fields: { ...fields, status: 'FAILURE', progress: '100%' } };
}

/** Missing fields stay unchanged. */
function fieldsOf(value: Record<string, unknown>): ReportedFields {
  const said = textOf(value['status']).toUpperCase();
  // Some proxies report cancelled drawings.
  const status = said === 'CANCEL' ? 'FAILURE' : known.has(said) ? said : 'IN_PROGRESS';
  const progress = progressOf(value['progress']);
  const start = momentOf(value['startTime']);
  const finish = momentOf(value['finishTime']);
  const texts: ReportedFields = {
    fail_reason: textOf(value['failReason']),
    prompt: textOf(value['prompt']),
    prompt_en: textOf(value['promptEn']),
    description: textOf(value['description']),
    image_url: urlOf(value['imageUrl']),
    buttons: jsonOf(value['buttons']),
    properties: jsonOf(value['properties']),
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    status,
    ...(progress === undefined ? {} : { progress }),
    ...(start === undefined ? {} : { start_time: start }),
    ...(finish === undefined ? {} : { finish_time: finish }),
  };
}
