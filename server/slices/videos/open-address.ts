// URL of a video in formats whose clients send no key with it.
import type { TaskRecord } from '#server/db/records/task.ts';
import type { RelayServices } from '#server/call/services.ts';
import { videoFormatOf } from '#server/tasks/videos/registry.ts';
import { madeOf } from '#server/tasks/videos/video-facts.ts';
import { contentAddress } from './routes.ts';

/** Uses the provider's URL if it is public. */
export function openAddress(services: RelayServices, task: TaskRecord): string {
  const isOpen = videoFormatOf(services.context.channels.get(task.channel_id)?.provider ?? null)?.isBehindKey !== true;
  const { url = '' } = madeOf(task);
  return isOpen && url !== '' ? url : contentAddress(services, task);
}
