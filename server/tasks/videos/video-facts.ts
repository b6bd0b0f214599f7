// Stored facts of a video: its request, and the provider's result.
import { z } from 'zod';
import type { TaskRecord } from '#server/db/records/task.ts';
import { dataOf } from '#server/tasks/task-data.ts';

/** Content of `properties`. */
const VideoFacts = z.object({
  seconds: z.number(),
  size: z.string(),
  remixed_from: z.string().optional(),
});
export type VideoFacts = z.infer<typeof VideoFacts>;

/** Content of `data`. */
const MadeVideo = z.object({ url: z.string().optional(), file: z.string().optional() });

/** Undefined in records of earlier servers, which stored nothing for tasks that were not accepted. */
export function factsOf({ properties }: Pick<TaskRecord, 'properties'>): VideoFacts | undefined {
  return properties === '' ? undefined : VideoFacts.parse(JSON.parse(properties));
}

export function madeOf(task: Pick<TaskRecord, 'data'>): z.infer<typeof MadeVideo> {
  return MadeVideo.safeParse(dataOf(task)).data ?? {};
}
