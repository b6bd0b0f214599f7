// Serves the cover of a song to anyone who has its URL, so browsers do not contact the upstream's storage.
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { servePicture } from '#server/call/tasks/serve-picture.ts';
import { dataOf } from '#server/tasks/task-data.ts';

interface Requested {
  request: Request;
  params: Record<string, string>;
  connection: Connection | null;
}

export function serveCover(host: RouteHost, { request, params, connection }: Requested): Promise<Response> {
  const { task: upstreamId = '', clip = '' } = params;
  return servePicture(host, {
    request,
    connection,
    missing: 'task_not_exist',
    async find() {
      const tasks = host.context.db.collection('tasks');
      const task = await tasks.first({ upstream_id: upstreamId, platform: 'suno' }, { sort: [['id', -1]] });
      return task === null ? null : { url: coverOf(dataOf(task), clip), isFinal: task.status === 'SUCCESS' };
    },
  });
}

/** `place`: of the clip in the upstream's list. Empty: there is no cover. */
function coverOf(data: unknown, place: string): string {
  const clips: unknown[] = Array.isArray(data) ? data : [data];
  const clip = /^\d{1,4}$/.test(place) ? clips[Number(place)] : undefined;
  if (!isObject(clip)) return '';
  const isSecure = (url: unknown) => typeof url === 'string' && /^https:/i.test(url);
  const url = [clip['image_url'], clip['image_large_url']].find(isSecure);
  return typeof url === 'string' ? url : '';
}
