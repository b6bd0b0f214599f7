// Pictures through this site, for browsers: fetched by the guarded egress, bounded, and nothing but pictures.
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { AppError } from '#shared/errors.ts';
import { EgressRefusal } from '#server/egress/egress-refusal.ts';
import type { EgressAnswer } from '#server/egress/egress.ts';
import { createFairQueue, QueueFull } from '#server/fair-queue.ts';
import { toAppError } from '#server/http/failure.ts';
import type { RelayServices } from '#server/relay/services.ts';

const fetchMs = 30_000;
const mostBytes = 20 * 1024 * 1024;
/** Pictures are held as a whole: so many at a time. */
const fetches = createFairQueue({ atOnce: 6, places: 120, placesPerSource: 12 });
/** What a browser shows and does not run. */
const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/webp', 'image/gif', 'image/avif', 'image/bmp']);
const keptSeconds = 86_400;

interface Asked {
  request: Request;
  params: Record<string, string>;
  connection: Connection | null;
}

export async function serveImage(host: RouteHost, { context }: RelayServices, { request, params, connection }: Asked): Promise<Response> {
  const facts = host.facts(request, connection);
  const headers = { 'x-oneapi-request-id': facts.requestId, 'x-content-type-options': 'nosniff' };
  const refuse = (status: number, error: string) =>
    Response.json({ error }, { status, headers: { ...headers, 'cache-control': 'no-store' } });
  try {
    const { mj = '' } = params;
    const task = await context.db.collection('tasks').first({ upstream_id: mj, platform: 'midjourney' }, { sort: [['id', -1]] });
    if (task === null || task.image_url === '') return refuse(400, 'midjourney_task_not_found');
    const answer = await fetches.run(facts.ip, () => fetchImage(host, task.image_url));
    if (answer.status !== 200) return refuse(answer.status >= 400 && answer.status < 600 ? answer.status : 502, 'http_get_image_failed');
    const type = typeOf(answer);
    if (type === null) return refuse(502, 'http_get_image_failed');
    return new Response(new Uint8Array(answer.body), {
      headers: {
        ...headers,
        'content-type': type,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': task.status === 'SUCCESS' ? `public, max-age=${keptSeconds}` : 'no-store',
      },
    });
  } catch (failure) {
    if (failure instanceof EgressRefusal) {
      context.log.warn({ reason: failure.reason }, 'a picture could not be fetched');
      return refuse(500, 'http_get_image_failed');
    }
    const error = toAppError(failure instanceof QueueFull ? new AppError('rate_limited') : failure, context, facts.requestId);
    return refuse(error.status, error.code);
  }
}

function fetchImage({ context }: RouteHost, url: string): Promise<EgressAnswer> {
  return context.egress.send({
    url,
    method: 'GET',
    headers: { accept: 'image/*', 'accept-encoding': 'identity' },
    milliseconds: fetchMs,
    maxBytes: mostBytes,
    redirects: 3,
  });
}

/** Null: it is no picture. */
function typeOf({ headers }: EgressAnswer): string | null {
  const type = (headers['content-type'] ?? 'image/jpeg').split(';')[0]?.trim().toLowerCase() ?? '';
  return types.has(type) && headers['content-encoding'] === undefined ? type : null;
}
