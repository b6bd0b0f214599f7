import type { TaskRecord } from '#server/db/records/task.ts';

/** What the upstream says came of a task; null: nothing yet. */
export function dataOf({ data }: Pick<TaskRecord, 'data'>): unknown {
  return data === '' ? null : JSON.parse(data);
}

/** What its caller knows it by; empty: the upstream has not said. */
export function callersName({ public_id: own, upstream_id: upstreams = '' }: Pick<TaskRecord, 'public_id' | 'upstream_id'>): string {
  return own ?? upstreams;
}
