import type { TaskRecord } from '#server/db/records/task.ts';

/** Result reported by the upstream; null if there is none yet. */
export function dataOf({ data }: Pick<TaskRecord, 'data'>): unknown {
  return data === '' ? null : JSON.parse(data);
}

/** Id that callers use; empty if the upstream has not reported one. */
export function callersName({ public_id: own, upstream_id: upstreams = '' }: Pick<TaskRecord, 'public_id' | 'upstream_id'>): string {
  return own ?? upstreams;
}
