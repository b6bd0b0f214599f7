// The paths of Suno clients.
import { ownerIn } from '#server/tokens/object-owner.ts';
import type { Language } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { noNames } from '#server/formats/critical-members.ts';
import { readContent } from '#server/call/admission/read-content.ts';
import type { RelayServices } from '#server/call/services.ts';
import { answerTasks, languageFor, type TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { takeSubmission } from '#server/work/tasks/take-submission.ts';
import { mostTextBytes } from '#server/call/tasks/task-bounds.ts';
import { identifyCaller } from '#server/call/tasks/task-caller.ts';
import { failReasonIn } from '#server/tasks/fail-reason.ts';
import { findTask, findTasks } from '#server/tasks/find-task.ts';
import { idOf } from '#server/tasks/platforms/report-values.ts';
import { dataOf } from '#server/tasks/task-data.ts';
import { musicSubmission } from './music-request.ts';
import { MusicRefusal, musicRefusal } from './refusal.ts';
import { serveCover } from './serve-cover.ts';

/** Tasks of one question. */
const mostRequested = 500;

export function mountSuno(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const inWords = (request: Request, connection: Connection | null) => ({ request, connection, refusal: musicRefusal });

  host.add('POST', '/suno/submit/:action', (request, { action = '' }, connection) =>
    answerTasks(services, inWords(request, connection), (noted) =>
      takeSubmission(services, {
        request,
        connection,
        ...noted,
        mostBytes: mostTextBytes,
        // The upstream's request is built from known fields only.
        names: noNames,
        read: (body, _userId, admission) => musicSubmission(context, ownerIn(admission), { action, body }),
      }),
    ),
  );

  host.add('POST', '/suno/fetch', (request, _params, connection) =>
    answerTasks(services, inWords(request, connection), async () => {
      const admission = await identifyCaller(services, request, connection);
      const content = await readContent(context.bodies, {
        request,
        connection,
        limit: 1_000_000,
        userId: admission.user.id,
        names: noNames,
      });
      const { ids: given, action } = content.body;
      content.release();
      const ids = (Array.isArray(given) ? given : [])
        .slice(0, mostRequested)
        .map(idOf)
        .filter((id) => id !== '');
      const found = await findTasks(context, { platform: 'suno', owner: ownerIn(admission), upstreamIds: [...new Set(ids)] });
      const wanted = typeof action === 'string' && action !== '' ? found.filter((task) => task.action === action.toUpperCase()) : found;
      return success(wanted.map((task) => musicObject(task, languageFor(request))));
    }),
  );

  host.add('GET', '/suno/fetch/:task', (request, { task: upstreamId = '' }, connection) =>
    answerTasks(services, inWords(request, connection), async () => {
      const owner = ownerIn(await identifyCaller(services, request, connection));
      const task = await findTask(context, { platform: 'suno', owner, upstreamId });
      if (task === null) throw new MusicRefusal(400, 'task_not_exist', 'task_not_exist');
      return success(musicObject(task, languageFor(request)));
    }),
  );

  host.add('GET', '/suno/image/:task/:clip', (request, params, connection) => serveCover(host, { request, params, connection }));
}

function success(data: object): TaskAnswer {
  return { status: 200, body: { code: 'success', message: '', data } };
}

/** Times are seconds. */
function musicObject(task: TaskRecord, language: Language): object {
  const { action, status, progress } = task;
  return {
    task_id: task.upstream_id ?? '',
    action,
    status,
    fail_reason: failReasonIn(task, language),
    submit_time: Math.floor(task.submit_time / 1000),
    start_time: Math.floor(task.start_time / 1000),
    finish_time: Math.floor(task.finish_time / 1000),
    progress,
    data: dataOf(task),
  };
}
