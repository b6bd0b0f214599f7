import { taskApi } from '#shared/tasks.ts';
import type { QueryOf } from '#shared/contract.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { emptyTaskPage, listTasks, type TaskPage, type TaskQuery } from '#server/tasks/list-tasks.ts';
import type { AppContext } from '#server/context.ts';
import { presentTask } from './present-task.ts';

type Query = QueryOf<typeof taskApi.listSelf>;

export function mountTasks(host: RouteHost): void {
  mountReading(host, taskApi.list, async ({ context, query, facts: { language } }) => {
    const { records, extra } = await read(context, query, { channelId: query.channel_id });
    return respond(
      records.map((record) => presentTask(context, record, { isOwn: false, language })),
      { extra },
    );
  });

  mountReading(host, taskApi.listSelf, async (call) => {
    const { records, extra } = await read(call.context, call.query, { userId: signedIn(call).user.id });
    return respond(
      records.map((record) => presentTask(call.context, record, { isOwn: true, language: call.facts.language })),
      { extra },
    );
  });
}

async function read(context: AppContext, query: Query, whose: Pick<TaskQuery, 'channelId' | 'userId'>): Promise<TaskPage> {
  const { task_id: publicId, platform = 'suno', start_timestamp: start, end_timestamp: end, ...others } = query;
  // Drawings have a list of their own.
  if (platform !== 'suno' && platform !== 'video') return emptyTaskPage(query);
  const id = platform === 'video' ? { publicId } : { upstreamId: publicId };
  return listTasks(context, { ...others, ...whose, ...id, platform, start, end });
}
