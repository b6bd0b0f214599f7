// The paths of Midjourney clients, below `/mj` and `/<mode>/mj`.
import { ownerIn } from '#server/tokens/object-owner.ts';
import { drawingNames } from './drawing-names.ts';
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { languageOf } from '#server/http/language.ts';
import type { RelayServices } from '#server/call/services.ts';
import { answerTasks, type NotedCall, type TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { takeSubmission } from '#server/work/tasks/take-submission.ts';
import { checkDrawing, mostDrawingBytes } from './drawing-bounds.ts';
import { drawingPaths } from './drawing-request.ts';
import { serveImage } from './serve-image.ts';
import { receiveNotice } from './receive-notice.ts';
import { fetchDrawing, listDrawings } from './read-drawings.ts';
import { createSeedReader } from './read-seed.ts';
import { DrawingRefusal, drawingRefusal } from './refusal.ts';
import { drawingSubmission } from './submit-drawing.ts';

interface Requested {
  request: Request;
  connection: Connection | null;
  params: Record<string, string>;
}

export function mountMidjourney(host: RouteHost, services: RelayServices): void {
  const readSeed = createSeedReader(services);
  const add = (method: 'GET' | 'POST', path: string, answer: (requested: Requested, noted: NotedCall) => Promise<TaskAnswer>) => {
    for (const prefix of ['/mj', '/:mode/mj']) {
      host.add(method, `${prefix}${path}`, (request, params, connection) =>
        answerTasks(services, { request, connection, refusal: drawingRefusal }, (noted) => answer({ request, connection, params }, noted)),
      );
    }
  };

  add('POST', '/submit/:kind', (requested, noted) => submit(services, { ...requested, kind: requested.params['kind'] ?? '' }, noted));
  add('POST', '/insight-face/swap', (requested, noted) => submit(services, { ...requested, kind: swap }, noted));
  add('GET', '/task/:mj/fetch', (requested) => fetchDrawing(services, requested, requested.params['mj'] ?? ''));
  add('POST', '/task/list-by-condition', (requested) => listDrawings(services, requested));
  add('GET', '/task/:mj/image-seed', (requested) => {
    const { mj: upstreamId = '' } = requested.params;
    const path = upstreamPath(requested, `/task/${encodeURIComponent(upstreamId)}/image-seed`);
    return readSeed(requested, { upstreamId, path });
  });
  host.add('POST', '/mj/notify/:task/:secret', (request, params, connection) => receiveNotice(host, { request, params, connection }));
  for (const path of ['/mj/image/:mj', '/:mode/mj/image/:mj'])
    host.add('GET', path, (request, params, connection) => serveImage(host, { request, params, connection }));
  // Callbacks need the secret of their task.
  add('POST', '/notify', () => Promise.reject(new DrawingRefusal('midjourney_task_not_found')));
}

/** It is not below `/submit`. */
const swap = 'swap';

async function submit(
  services: RelayServices,
  { kind, ...requested }: Requested & { kind: string },
  noted: NotedCall,
): Promise<TaskAnswer> {
  const read = Object.hasOwn(drawingPaths, kind) ? drawingPaths[kind] : undefined;
  const isSwap = requested.params['kind'] === undefined;
  if (read === undefined || isSwap !== (kind === swap)) throw new AppError('invalid_url', pathOf(requested.request));
  const path = upstreamPath(requested, isSwap ? '/insight-face/swap' : `/submit/${kind}`);
  const { request, connection } = requested;
  const mostBytes = mostDrawingBytes(kind);
  return takeSubmission(services, {
    names: drawingNames,
    request,
    connection,
    ...noted,
    mostBytes,
    read: async (body, _userId, admission) => {
      checkDrawing(body);
      const language = languageOf(request.headers.get('accept-language'));
      return drawingSubmission(services.context, { owner: ownerIn(admission), language, path, body, request: read(body) });
    },
  });
}

/** Modes that begin with `mj-` are a matter of channels here; others are sent on. @throws {AppError} `invalid_url` */
function upstreamPath({ request, params }: Requested, path: string): string {
  const { mode } = params;
  if (mode !== undefined && !/^[\w-]{1,40}$/.test(mode)) throw new AppError('invalid_url', pathOf(request));
  const query = request.url.indexOf('?');
  const prefix = mode === undefined || mode.startsWith('mj-') ? '' : `/${mode}`;
  return `${prefix}/mj${path}${query < 0 ? '' : request.url.slice(query, query + 1000)}`;
}

function pathOf({ method, url }: Request): { method: string; path: string } {
  return { method, path: URL.parse(url)?.pathname ?? '' };
}
