// The logs of work that takes minutes: drawings; music and videos. They are one screen over two contracts.
import { drawingActions, drawingStatuses } from '#shared/drawings.ts';
import { taskActions, taskStatuses, videoActions } from '#shared/tasks.ts';

export type TaskKind = 'drawing' | 'music' | 'video';

export const ranges = ['today', 'week', 'month', 'custom'] as const;
export type Range = (typeof ranges)[number];

interface KindFacts {
  defaultRange: Range;
  /** In the order in which they are offered. */
  actions: readonly string[];
  statuses: readonly string[];
}

export const kinds: Record<TaskKind, KindFacts> = {
  drawing: { defaultRange: 'month', actions: drawingActions, statuses: drawingStatuses.filter((status) => status !== '') },
  music: { defaultRange: 'today', actions: taskActions, statuses: taskStatuses },
  video: { defaultRange: 'today', actions: videoActions, statuses: taskStatuses },
};
