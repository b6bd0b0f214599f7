import type { TaskRecord } from '#server/db/records/task.ts';

/** What the upstream says came of a task; null: nothing yet. */
export function dataOf({ data }: Pick<TaskRecord, 'data'>): unknown {
  return data === '' ? null : JSON.parse(data);
}
