// Video routes: OpenAI's `/v1/videos`, and `/v1/video/generations` of compatible gateways. Both reach every provider.
import { ownerIn } from '#server/tokens/object-owner.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { StrictFields } from '#server/framing/strict-fields.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { answerDirectly, answerTasks, languageFor, type NotedCall, type TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import type { Submission } from '#server/work/tasks/submission.ts';
import { identifyCaller } from '#server/call/tasks/task-caller.ts';
import { listOf, readPage } from '#server/objects/list-items.ts';
import { siteAddressOrLocal } from '#server/settings/site-address.ts';
import { callersName } from '#server/tasks/task-data.ts';
import { promptIn, readGeneration, readVideo } from './read-video-request.ts';
import { deleteVideo } from './delete-video.ts';
import { findVideo, listVideos } from './find-video.ts';
import { videoRefusal } from './refusal.ts';
import { serveContent } from './serve-content.ts';
import { presentGeneration, presentVideo } from './present-video.ts';
import { order, type Requested, submit } from './take-order.ts';
import { remixSubmission } from './video-submission.ts';

export function mountVideos(host: RouteHost, services: RelayServices): void {
  const { context } = services;
  const add = (method: string, path: string, answer: (requested: Requested, noted: NotedCall) => Promise<TaskAnswer>) =>
    host.addDirect(method, path, (request, params, connection) =>
      answerTasks(services, { request, connection, refusal: videoRefusal(context) }, (noted) =>
        answer({ request, connection, params, url: host.facts(request, connection).url }, noted),
      ),
    );
  const found = async ({ request, connection, params }: Requested): Promise<TaskRecord> => {
    return findVideo(context, ownerIn(await identifyCaller(services, request, connection)), params['video'] ?? '');
  };
  const video =
    ({ request }: Requested) =>
    (task: TaskRecord) =>
      presentVideo(task, languageFor(request));
  const generation =
    ({ request }: Requested) =>
    (task: TaskRecord) =>
      presentGeneration(task, { url: contentAddress(services, task), language: languageFor(request) });
  const path = '/v1/videos/:video';

  add('POST', '/v1/videos', (requested, noted) => order(services, requested, { ...noted, read: readVideo, answer: video(requested) }));
  // Requests of the playground; the console reads their results in its task list.
  add('POST', '/pg/videos', (requested, noted) =>
    order(services, requested, { ...noted, callers: 'sessions', read: readVideo, answer: video(requested) }),
  );
  add('POST', '/v1/video/generations', (requested, noted) =>
    order(services, requested, { ...noted, read: readGeneration, answer: generation(requested) }),
  );
  add('POST', `${path}/remix`, (requested, noted) =>
    submit(services, requested, { ...noted, read: (body, admission) => remix(services, requested, { body, admission }) }),
  );
  add('GET', '/v1/videos', async (requested) => {
    const { request, connection, url } = requested;
    const owner = ownerIn(await identifyCaller(services, request, connection));
    const page = readPage(url.searchParams);
    const tasks = await listVideos(context, owner, page);
    return { status: 200, body: listOf(tasks.slice(0, page.limit).map(video(requested)), tasks.length > page.limit) };
  });
  add('GET', path, async (requested) => ({ status: 200, body: video(requested)(await found(requested)) }));
  add('GET', '/v1/video/generations/:video', async (requested) => ({ status: 200, body: generation(requested)(await found(requested)) }));
  add('DELETE', path, async (requested) => ({ status: 200, body: await deleteVideo(services, await found(requested)) }));
  host.addDirect('GET', `${path}/content`, (request, params, connection) =>
    answerDirectly(services, { request, connection, refusal: videoRefusal(context) }, async () => {
      const { url } = host.facts(request, connection);
      const task = await found({ request, connection, params, url });
      const leaving = new AbortController();
      connection?.res.once('close', () => leaving.abort());
      const variant = url.searchParams.get('variant') ?? 'video';
      return serveContent(services, task, { variant, signal: leaving.signal, userId: task.user_id, range: request.headers.get('range') });
    }),
  );
}

async function remix(
  services: RelayServices,
  { request, params, url }: Requested,
  { body, admission }: { body: RelayBody; admission: Admission },
): Promise<Submission> {
  const prompt = promptIn(new StrictFields(body));
  const origin = await findVideo(services.context, ownerIn(admission), params['video'] ?? '');
  return remixSubmission(
    { services, admission, answer: (task) => presentVideo(task, languageFor(request)) },
    { origin, prompt, path: url.pathname },
  );
}

/** URL of a video, read with the caller's key. */
export function contentAddress({ context: { settings, env } }: RelayServices, task: TaskRecord): string {
  return `${siteAddressOrLocal(settings, env)}/v1/videos/${callersName(task)}/content`;
}
