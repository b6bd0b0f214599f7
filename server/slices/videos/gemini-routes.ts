// Routes of Veo's API: creation at a model's path, operations, and their files.
import { type ObjectOwner, ownerIn } from '#server/tokens/object-owner.ts';
import { AppError, type Language } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import { toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import type { RouteHost, ServeDirectly } from '#server/http/mount.ts';
import { gatewayError, reportFailure } from '#server/call/relay-failure.ts';
import type { ModelVerbs } from '#server/call/routes.ts';
import type { RelayServices } from '#server/call/services.ts';
import { answerDirectly, answerTasks, type TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { identifyCaller } from '#server/call/tasks/task-caller.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';
import { siteAddressOrLocal } from '#server/settings/site-address.ts';
import { findVideo } from './find-video.ts';
import { fileNameOf, geminiVideoNames, operationName, operationObject, readPredicted, videoNamed } from './gemini-caller.ts';
import { serveContent } from './serve-content.ts';
import { order } from './take-order.ts';
import type { TaskRecord } from '#server/db/records/task.ts';

const surface = surfaces.gemini;
/** Google's SDKs use either version. */
const versions = ['v1beta', 'v1'];
/** Under `/v1/files`, OpenAI's callers have files without a verb. */
const readVerb = '[:]download';
const filePaths = ['/v1beta/files/:file', `/v1/files/:file${readVerb}`, '/download/v1beta/files/:file', '/download/v1/files/:file'];

/**
 * Other files that Gemini's callers read at the same path.
 * @param file file name
 * @returns undefined if it is none of them
 */
export type OtherFiles = (requested: { file: string; owner: ObjectOwner }) => Promise<DirectResponse> | undefined;

export function mountGeminiVideos(host: RouteHost, services: RelayServices, otherFiles: OtherFiles): ModelVerbs {
  const { context } = services;
  const { settings, env } = context;
  const refusal = (failure: unknown, language: Language, requestId: string): TaskAnswer => {
    const keywords = settings.get('AutomaticDisableKeywords');
    const said = failure instanceof TaskFailure ? failure.reported : undefined;
    const error = toAppError(failure instanceof TaskFailure ? failure.error : failure, context, requestId);
    const reported =
      said === undefined
        ? { error: gatewayError(error, language, requestId), retryAfter: error.retryAfter }
        : reportFailure(said, { language, requestId, keywords });
    return { status: reported.error.status, body: surface.errorBody(reported.error, requestId, reported.retryAfter) };
  };
  const uriOf = (task: TaskRecord) => `${siteAddressOrLocal(settings, env)}/v1beta/files/${fileNameOf(task)}:download?alt=media`;

  const readOperation: ServeDirectly = (request, { model = '', operation = '' }, connection) =>
    answerTasks(services, { request, connection, refusal }, async () => {
      const owner = ownerIn(await identifyCaller(services, request, connection));
      const task = await findVideo(context, owner, operation);
      if (task.model !== model) throw new AppError('video_not_found', { id: operation });
      return { status: 200, body: operationObject(task, { uri: uriOf(task), language: callerLanguage(request.headers) }) };
    });
  for (const version of versions) host.addDirect('GET', `/${version}/models/:model+/operations/:operation`, readOperation);
  for (const path of filePaths) {
    host.addDirect('GET', path, (request, { file = '' }, connection) =>
      answerDirectly(services, { request, connection, refusal }, async () => {
        const owner = ownerIn(await identifyCaller(services, request, connection));
        const [name = '', verb] = file.split(':');
        const isRead = verb === 'download' || path.endsWith(readVerb);
        const other = isRead ? otherFiles({ file: name, owner }) : undefined;
        if (other !== undefined) return other;
        const task = await findVideo(context, owner, videoNamed(name));
        if (!isRead) throw new AppError('verb_unknown', { path: host.facts(request, connection).url.pathname });
        const leaving = new AbortController();
        connection?.res.once('close', () => leaving.abort());
        return serveContent(services, task, {
          variant: 'video',
          signal: leaving.signal,
          userId: task.user_id,
          range: request.headers.get('range'),
        });
      }),
    );
  }

  const create = (request: Request, model: string, connection: Connection | null) =>
    answerTasks(services, { request, connection, refusal }, async (noted) => {
      const { url } = host.facts(request, connection);
      const requested = { request, connection, params: {}, url };
      const read = (body: Readonly<Record<string, unknown>>) => readPredicted(body, model);
      const answer = (task: TaskRecord) => ({ name: operationName(task) });
      return inGeminiFormat(await order(services, requested, { ...noted, names: geminiVideoNames, read, answer }), noted.requestId);
    });
  return { predictLongRunning: create };
}

/** Writes a provider's error of status 200 in this format. */
function inGeminiFormat({ status, body }: TaskAnswer, requestId: string): TaskAnswer {
  if (status === 200) return { status, body };
  const said: unknown = 'error' in body ? body.error : undefined;
  const message = typeof said === 'object' && said !== null && 'message' in said ? String(said.message) : '';
  return { status, body: surface.errorBody({ message, type: 'upstream_error', param: null, code: null, status }, requestId) };
}
