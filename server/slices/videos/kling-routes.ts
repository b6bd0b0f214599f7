// Paths of Kling's clients, below `/kling`.
import { ownerIn } from '#server/tokens/object-owner.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { RelayServices } from '#server/call/services.ts';
import { answerTasks, languageFor, type NotedCall, type TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { identifyCaller } from '#server/call/tasks/task-caller.ts';
import { findVideo } from './find-video.ts';
import { klingAnswer, klingNames, klingObject, klingRefusal, readKling } from './kling-caller.ts';
import { openAddress } from './open-address.ts';
import { order, type Requested } from './take-order.ts';

export function mountKling(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const add = (method: string, path: string, answer: (requested: Requested, noted: NotedCall) => Promise<TaskAnswer>) =>
    host.add(method, path, (request, params, connection) =>
      answerTasks(services, { request, connection, refusal: klingRefusal }, async (noted) => {
        const { url } = host.facts(request, connection);
        return klingAnswer(await answer({ request, connection, params, url }, noted), noted.requestId);
      }),
    );
  const reported =
    ({ request }: Pick<Requested, 'request'>) =>
    (task: TaskRecord) =>
      klingObject(task, { url: openAddress(services, task), language: languageFor(request) });
  for (const [kind, takesPicture] of [
    ['text2video', false],
    ['image2video', true],
  ] as const) {
    const path = `/kling/v1/videos/${kind}`;
    add('POST', path, (requested, noted) =>
      order(services, requested, {
        ...noted,
        names: klingNames,
        read: (body) => readKling(body, takesPicture),
        answer: reported(requested),
      }),
    );
    add('GET', `${path}/:video`, async ({ request, connection, params }) => {
      const owner = ownerIn(await identifyCaller(services, request, connection));
      return { status: 200, body: reported({ request })(await findVideo(context, owner, params['video'] ?? '')) };
    });
  }
}
