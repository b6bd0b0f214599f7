// Serves the picture of a drawing to anyone who has its URL.
import type { Connection } from '#server/http/connection.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { servePicture } from '#server/call/tasks/serve-picture.ts';

interface Requested {
  request: Request;
  params: Record<string, string>;
  connection: Connection | null;
}

export function serveImage(host: RouteHost, { request, params, connection }: Requested): Promise<Response> {
  const { mj = '' } = params;
  return servePicture(host, {
    request,
    connection,
    missing: 'midjourney_task_not_found',
    async find() {
      const drawings = host.context.db.collection('tasks');
      const task = await drawings.first({ upstream_id: mj, platform: 'midjourney' }, { sort: [['id', -1]] });
      return task === null ? null : { url: task.image_url, isFinal: task.status === 'SUCCESS' };
    },
  });
}
