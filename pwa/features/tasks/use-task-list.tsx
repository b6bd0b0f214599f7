import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import type { EmptyText } from '#pwa/ui/list/list-parts.tsx';
import { useCursorPager } from '#pwa/ui/list/use-cursor-pager.ts';
import { isKindOpen, type TaskSearch } from './task-address.ts';
import type { TaskKind } from './task-kinds.ts';
import { tasksQuery } from './queries.ts';
import { isUnfinished } from './task-row.ts';
import { countFilters, noFilters, type TaskList, taskList } from './task-search.ts';

interface TaskListOptions {
  kind: TaskKind;
  search: TaskSearch;
  onSearch: (change: Partial<TaskSearch>) => void;
  size: number;
}

/** Without a chosen kind, videos are shown where there is no music. */
export function useShownKind({ kind, search, size }: Omit<TaskListOptions, 'onSearch'>): TaskKind {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const isOnline = useIsOnline();
  const isOpen = kind === 'music' && isKindOpen(search);
  const choice = { page: search.p ?? 1, size, cursor: search.after };
  const music = useQuery({ ...tasksQuery(taskList('music', isAdmin, search), choice, isOnline), enabled: isOpen });
  const hasNone = isOpen && music.data?.rows.length === 0;
  const videos = useQuery({ ...tasksQuery(taskList('video', isAdmin, search), choice, isOnline), enabled: hasNone });
  return hasNone && (videos.data?.rows.length ?? 0) > 0 ? 'video' : kind;
}

/** List of the address, and the ways to change it. */
export function useTaskList({ kind, search, onSearch, size }: TaskListOptions) {
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const isOnline = useIsOnline();
  const list = taskList(kind, isAdmin, search);
  const query = useQuery(tasksQuery(list, { page: search.p ?? 1, size, cursor: search.after }, isOnline));
  const pager = useCursorPager({ search, size, onSearch, page: query.data });
  /** Whatever narrows the list begins at its first page again. */
  const narrow = (change: Partial<TaskSearch>): void => onSearch({ ...change, p: undefined, after: undefined });
  const rows = query.data?.rows;
  return {
    list,
    narrow,
    page: query.data,
    /** How many of the listed ones are under way. */
    runs: rows?.filter(isUnfinished).length ?? 0,
    /** As `DataList` takes it. */
    listed: {
      query,
      rows,
      empty: useEmptyText(list, narrow),
      filtersSet: countFilters(list.filters),
      onClearFilters: () => narrow(noFilters),
      pager,
    },
  };
}

/** Nothing in a short range may only mean that it is too short. */
function useEmptyText({ kind, range: { range } }: TaskList, narrow: (change: Partial<TaskSearch>) => void): EmptyText {
  const { t } = useTranslation();
  const title = t(`tasks.empty.${kind}`);
  if (range === 'month' || range === 'custom') return { title, text: t('tasks.empty.text') };
  return {
    title,
    text: t('tasks.empty.in_range'),
    action: <Button onClick={() => narrow({ range: kind === 'drawing' ? undefined : 'month' })}>{t('tasks.empty.show_month')}</Button>,
  };
}
