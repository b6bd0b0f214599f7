import { queryOptions } from '@tanstack/react-query';
import { dashboardApi } from '#shared/dashboard.ts';
import { call } from './call.ts';
import { operatorTodoKey } from './operator-todo-key.ts';

/** For an operator: what needs a hand. */
export const todoQuery = queryOptions({
  queryKey: operatorTodoKey,
  queryFn: ({ signal }) => call(dashboardApi.operatorTodo, { signal }),
  meta: { offline: true },
  refetchInterval: 30_000,
});
