// Videos of all providers: each has its own format (`server/tasks/videos/`), and is polled for one at a time.
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { maskSecrets } from '#server/exchange/mask-secrets.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { knownReason, saidByProvider } from '#server/tasks/fail-reason.ts';
import { videoFormatOf } from '#server/tasks/videos/registry.ts';
import type { FollowedVideo, VideoReport } from '#server/tasks/videos/video-format.ts';
import type { ReportedFields, TaskPlatform, TaskReport } from './platform.ts';
import { jsonOf, progressOf, textOf, urlOf } from './report-values.ts';

export const video: TaskPlatform = {
  name: 'video',
  // Queues of some providers take hours.
  timeout: 6 * 3600_000,
  requestedAtOnce: 1,
  serves: ({ videos }) => videos !== undefined,
  question(channel, [task]) {
    const form = videoFormatOf(channel.provider);
    return form === undefined || task === undefined ? null : form.question(followed(channel, task), channel);
  },
  readAnswer(answer, channel, [task]) {
    const form = videoFormatOf(channel.provider);
    const report = form?.readAnswer(answer);
    if (form === undefined || report === undefined || report === null || task?.upstream_id === undefined) return null;
    return [reportedReport(report, { channel, upstreamId: task.upstream_id, needsUrl: form.content === undefined })];
  },
  refundText: (name, amount) => `异步任务执行失败 ${name}，补偿 ${amount}`,
};

export function followed({ modelMapping }: PreparedChannel, { action, model, upstream_id: upstreamId = '' }: TaskRecord): FollowedVideo {
  return { action, upstreamId, model: modelMapping.get(model) ?? model };
}

interface Requested {
  channel: PreparedChannel;
  upstreamId: string;
  /** Whether the video is only available by its URL. */
  needsUrl: boolean;
}

function reportedReport(report: VideoReport, { channel, upstreamId, needsUrl }: Requested): TaskReport {
  const { state, file } = report;
  const url = urlOf(report.url);
  if (state === 'queued' || state === 'running') {
    const progress = progressOf(report.progress);
    const status = state === 'queued' ? 'QUEUED' : 'IN_PROGRESS';
    return { upstreamId, outcome: 'running', fields: { status, ...(progress === undefined ? {} : { progress: belowAll(progress) }) } };
  }
  if (state === 'succeeded' && !(needsUrl && url === '' && (file ?? '') === '')) {
    const fields: ReportedFields = { status: 'SUCCESS', progress: '100%', image_url: urlOf(report.poster) };
    const data = { ...(url === '' ? {} : { url }), ...(file === undefined || file === '' ? {} : { file: textOf(file, 500) }) };
    return { upstreamId, outcome: 'succeeded', fields: { ...fields, data: jsonOf(data) } };
  }
  const said = state === 'succeeded' ? '' : textOf(report.reason, 2000);
  const reason =
    said === ''
      ? knownReason({ code: state === 'succeeded' || report.isEmpty === true ? 'task_without_video' : 'task_unexplained' })
      : saidByProvider(maskSecrets(said, { key: channel.key, host: URL.parse(channel.base)?.host ?? '' }));
  return { upstreamId, outcome: 'failed', fields: { status: 'FAILURE', progress: '100%', ...reason } };
}

/** Caps the progress of a video that is not done. */
function belowAll(progress: string): string {
  return progress === '100%' ? '99%' : progress;
}
