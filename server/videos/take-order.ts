// An order of a video, whatever form its caller speaks, on its way to the engine.
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { decidingNames } from '#server/dialects/deciding-names.ts';
import type { DecidingNames } from '#server/dialects/deciding-names.ts';
import type { RelayBody } from '#server/relay/endpoints.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { Admission } from '#server/relay/admission/admission.ts';
import type { NotedCall } from '#server/relay/tasks/answer-tasks.ts';
import type { Submission } from '#server/relay/tasks/submission.ts';
import type { TaskAnswer } from '#server/relay/tasks/submit-task.ts';
import { takeSubmission } from '#server/relay/tasks/take-submission.ts';
import { videoFields, videoNames } from './asked-video.ts';
import type { AskedVideo } from './asked-video.ts';
import { orderSubmission } from './video-submission.ts';

export interface Asked {
  request: Request;
  connection: Connection | null;
  params: Readonly<Record<string, string>>;
  url: URL;
}

const remixNames = decidingNames(['prompt']);

export interface Ordering extends NotedCall {
  read(body: RelayBody): AskedVideo;
  answer(task: TaskRecord): object;
  /** What decides; missing: what does in OpenAI's form, which may have files. */
  names?: DecidingNames;
  /** Missing: by a key. */
  callers?: 'keys' | 'sessions';
}

export function order(services: RelayServices, asked: Asked, { read, answer, ...noted }: Ordering): Promise<TaskAnswer> {
  return submit(services, asked, {
    ...noted,
    read: (body, admission) => Promise.resolve(orderSubmission({ services, admission, answer }, read(body))),
  });
}

export function submit(
  services: RelayServices,
  { request, connection, params }: Asked,
  {
    read,
    names,
    ...noted
  }: NotedCall & Pick<Ordering, 'names' | 'callers'> & { read(body: RelayBody, admission: Admission): Promise<Submission> },
): Promise<TaskAnswer> {
  if (!services.context.settings.get('TaskEnabled')) throw new AppError('tasks_disabled');
  const isNew = params['video'] === undefined;
  return takeSubmission(services, {
    request,
    connection,
    ...noted,
    names: names ?? (isNew ? videoNames : remixNames),
    ...(isNew && names === undefined ? { form: videoFields } : {}),
    read: (body, _userId, admission) => read(body, admission),
  });
}
