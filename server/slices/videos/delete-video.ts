// Deletes a video. Its charge remains in the books.
import { AppError } from '#shared/errors.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { RelayServices } from '#server/call/services.ts';
import { requestUpstream } from '#server/tasks/request-upstream.ts';
import { videoFormatOf } from '#server/tasks/videos/registry.ts';
import { stateOf } from './present-video.ts';
import { withKey } from '#server/exchange/keys/channel-keys.ts';

const waitMs = 30_000;

/**
 * Also deletes it at the provider, best effort.
 * @throws {AppError} `video_running`, `video_not_found`
 */
export async function deleteVideo({ context }: RelayServices, task: TaskRecord): Promise<object> {
  const id = task.public_id ?? '';
  const state = stateOf(task);
  if (state !== 'completed' && state !== 'failed') throw new AppError('video_running', { id });
  const gone = await context.db
    .collection('tasks')
    .patch({ id: task.id, deleted_at: { exists: false } }, { set: { deleted_at: Math.floor(context.now() / 1000), prompt: '' } });
  if (gone === null) throw new AppError('video_not_found', { id });
  const channel = withKey(context.channels.get(task.channel_id), task.channel_key_id);
  const question = channel === undefined ? undefined : videoFormatOf(channel.provider)?.remove?.(task.upstream_id ?? '');
  if (channel !== undefined && channel.problem === null && question !== undefined)
    context.waitUntil(requestUpstream(context, channel, { ...question, milliseconds: waitMs }).then(() => undefined));
  return { id, object: 'video.deleted', deleted: true };
}
