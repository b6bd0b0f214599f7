// Reports tasks to the metrics, while they are on.
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { WorkName } from '#server/telemetry/work-observer.ts';

type Noted = Pick<TaskRecord, 'platform' | 'model'>;

export const taskNames: Readonly<Record<TaskRecord['platform'], WorkName>> = { midjourney: 'drawing', suno: 'music', video: 'video' };

export function noteStarted({ workObserver }: Pick<AppContext, 'workObserver'>, { platform, model }: Noted): void {
  workObserver?.started(taskNames[platform], model);
}

/** Returns the task. `task`: null if another process has ended it. */
export function noteEnded<Task extends Noted | null>(
  { workObserver }: Pick<AppContext, 'workObserver'>,
  task: Task,
  outcome: 'finished' | 'failed',
): Task {
  if (task !== null) workObserver?.ended(taskNames[task.platform], task.model, outcome);
  return task;
}
