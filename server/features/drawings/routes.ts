import { drawingApi } from '#shared/drawings.ts';
import type { QueryOf } from '#shared/contract.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { listTasks, type TaskQuery } from '#server/tasks/list-tasks.ts';
import { presentDrawing } from './present-drawing.ts';

export function mountDrawings(host: RouteHost): void {
  mountReading(host, drawingApi.list, async ({ context, query, facts: { language } }) => {
    const { records, extra } = await listTasks(context, { ...taskQuery(query), channelId: query.channel_id });
    return respond(
      records.map((record) => presentDrawing(context, record, { isOwn: false, language })),
      { extra },
    );
  });

  mountReading(host, drawingApi.listSelf, async (call) => {
    const { records, extra } = await listTasks(call.context, { ...taskQuery(call.query), userId: signedIn(call).user.id });
    return respond(
      records.map((record) => presentDrawing(call.context, record, { isOwn: true, language: call.facts.language })),
      { extra },
    );
  });
}

/** Bounds of this list are milliseconds. */
function taskQuery(query: QueryOf<typeof drawingApi.listSelf>): TaskQuery {
  const { mj_id: upstreamId, start_timestamp: start, end_timestamp: end, ...others } = query;
  const seconds = (milliseconds: number | undefined) => (milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000));
  return { ...others, platform: 'midjourney', upstreamId, start: seconds(start), end: seconds(end) };
}
