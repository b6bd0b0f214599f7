import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Drawing, drawingApi, type TaskPageExtra } from '#shared/drawings.ts';
import { type Task, taskApi } from '#shared/tasks.ts';
import { callWithExtra } from '#pwa/api/call.ts';
import { isUnfinished, rowOfDrawing, rowOfTask, type TaskRow } from './task-row.ts';
import { boundsOf, type TaskList } from './task-search.ts';

export interface TaskPageChoice {
  /** From 1. */
  page: number;
  size: number;
  /** Takes the place of `page`. */
  cursor?: string | undefined;
}

type TaskResponse = TaskPageExtra & ({ kind: 'drawing'; items: Drawing[] } | { kind: 'music' | 'video'; items: Task[] });

export interface TaskPage extends TaskPageExtra {
  rows: TaskRow[];
}

/** A server polls its upstreams every 15 seconds; new results are soon shown here. */
export const pollMs = 5_000;

/** `isOnline`: whether polling can succeed. */
export const tasksQuery = (list: TaskList, choice: TaskPageChoice, isOnline: boolean) =>
  queryOptions({
    queryKey: [list.kind === 'drawing' ? 'drawings' : 'tasks', list, choice],
    queryFn: ({ signal }): Promise<TaskResponse> => readTasks(list, choice, signal),
    select: pageOfAnswer,
    meta: { offline: true },
    placeholderData: keepPreviousData,
    // Polled only while a task runs. A hidden page does not poll.
    refetchInterval: ({ state: { data } }) =>
      isOnline && data !== undefined && pageOfAnswer(data).rows.some(isUnfinished) ? pollMs : false,
    refetchIntervalInBackground: false,
  });

async function readTasks(list: TaskList, { page, size, cursor }: TaskPageChoice, signal: AbortSignal): Promise<TaskResponse> {
  const { kind, isAdmin, filters } = list;
  const { status, action, id, channel } = filters;
  const { start, end } = boundsOf(list, Date.now());
  // These lists count their pages from 0.
  const paged = { status, action, page_size: size, ...(cursor === undefined ? { p: page - 1 } : { cursor }) };
  const everybodys = isAdmin ? { channel_id: channel } : {};
  if (kind === 'drawing') {
    const query = { ...paged, ...everybodys, mj_id: id, start_timestamp: milliseconds(start), end_timestamp: milliseconds(end) };
    const { data, extra } = await callWithExtra(isAdmin ? drawingApi.list : drawingApi.listSelf, { query, signal });
    return { ...extra, kind, items: data };
  }
  const platform = kind === 'video' ? kind : undefined;
  const query = { ...paged, ...everybodys, platform, task_id: id, start_timestamp: start, end_timestamp: end };
  const { data, extra } = await callWithExtra(isAdmin ? taskApi.list : taskApi.listSelf, { query, signal });
  return { ...extra, kind, items: data };
}

function pageOfAnswer(answer: TaskResponse): TaskPage {
  const { kind: _kind, items: _items, ...extra } = answer;
  return { ...extra, rows: answer.kind === 'drawing' ? answer.items.map(rowOfDrawing) : answer.items.map(rowOfTask) };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
