// Passes a video request in any caller's format to the task engine.
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { type CriticalMembers, criticalMembers } from '#server/formats/critical-members.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { NotedCall, TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import type { Submission } from '#server/work/tasks/submission.ts';
import { takeSubmission } from '#server/work/tasks/take-submission.ts';
import { videoFields, videoNames, type VideoRequest } from './read-video-request.ts';
import { orderSubmission } from './video-submission.ts';

export interface Requested {
  request: Request;
  connection: Connection | null;
  params: Readonly<Record<string, string>>;
  url: URL;
}

const remixNames = criticalMembers(['prompt']);

export interface Ordering extends NotedCall {
  read(body: RelayBody): VideoRequest;
  answer(task: TaskRecord): object;
  /** Critical members; if undefined, those of OpenAI's format, which may have files. */
  names?: CriticalMembers;
  /** If undefined, `keys`. */
  callers?: 'keys' | 'sessions';
}

export function order(services: RelayServices, requested: Requested, { read, answer, ...noted }: Ordering): Promise<TaskAnswer> {
  return submit(services, requested, {
    ...noted,
    read: (body, admission) => Promise.resolve(orderSubmission({ services, admission, answer }, read(body))),
  });
}

export function submit(
  services: RelayServices,
  { request, connection, params }: Requested,
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
