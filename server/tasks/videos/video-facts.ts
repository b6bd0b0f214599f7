// What the record of a video keeps of its order, and of what its provider said.
import { z } from 'zod';
import type { TaskRecord } from '#server/db/records/task.ts';
import { dataOf } from '#server/tasks/task-data.ts';

/** In `properties`. */
const VideoFacts = z.object({
  seconds: z.number(),
  size: z.string(),
  remixed_from: z.string().optional(),
});
export type VideoFacts = z.infer<typeof VideoFacts>;

/** In `data`. */
const MadeVideo = z.object({ url: z.string().optional(), file: z.string().optional() });

/** Undefined: an earlier server has kept nothing of it, since nobody has taken it. */
export function factsOf({ properties }: Pick<TaskRecord, 'properties'>): VideoFacts | undefined {
  return properties === '' ? undefined : VideoFacts.parse(JSON.parse(properties));
}

export function madeOf(task: Pick<TaskRecord, 'data'>): z.infer<typeof MadeVideo> {
  return MadeVideo.safeParse(dataOf(task)).data ?? {};
}
