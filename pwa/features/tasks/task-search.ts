// Queries of the two screens, from their search parameters.
import { midnight } from '#pwa/ui/local-days.ts';
import type { TaskSearch } from './task-address.ts';
import { kinds, type Range, type TaskKind } from './task-kinds.ts';

/** In the order in which they are offered. */
export const filterKeys = ['status', 'action', 'id', 'channel'] as const;
export type FilterKey = (typeof filterKeys)[number];
export type TaskFilters = Pick<TaskSearch, FilterKey>;

export interface TaskList {
  kind: TaskKind;
  /** Everybody's rows, or one's own. */
  isAdmin: boolean;
  filters: TaskFilters;
  /** Range as a name, so that stored responses do not depend on the clock. */
  range: { range: Range; from?: number | undefined; to?: number | undefined };
}

export function taskList(kind: TaskKind, isAdmin: boolean, search: TaskSearch): TaskList {
  const { status, action, id, channel, range = kinds[kind].defaultRange, from, to } = search;
  return {
    kind,
    isAdmin,
    filters: { status, action, id, ...(isAdmin ? { channel } : {}) },
    range: range === 'custom' ? { range, from, to } : { range },
  };
}

/** A change that takes every filter away. */
export const noFilters: Readonly<Record<FilterKey, undefined>> = {
  status: undefined,
  action: undefined,
  id: undefined,
  channel: undefined,
};

export function countFilters(filters: TaskFilters): number {
  return filterKeys.filter((key) => filters[key] !== undefined).length;
}

/** Unix seconds of a list's range at a moment (milliseconds). A day starts at local midnight. */
export function boundsOf({ filters, range: { range, from, to } }: TaskList, now: number): { start?: number; end?: number } {
  if (filters.id !== undefined) return {};
  if (range === 'today') return { start: midnight(now) };
  if (range === 'week') return { start: midnight(now, -6) };
  if (range === 'month') return { start: Math.floor(now / 1000) - 30 * 86_400 };
  return { ...(from === undefined ? {} : { start: from }), ...(to === undefined ? {} : { end: to }) };
}
