import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dashboardApi } from '#shared/dashboard.ts';
import { call } from '#pwa/api/call.ts';
import { ownTimeZone } from '#pwa/api/time-zone.ts';
import { boundsOf, type DashboardQuestion } from './dashboard-question.ts';

/** `minutes`: interval of polling while the screen is visible. */
export const figuresQuery = (question: DashboardQuestion, minutes: number) =>
  queryOptions({
    queryKey: ['dashboard', question],
    queryFn: ({ signal }) => {
      const now = Date.now();
      const { start, end } = boundsOf(question, now);
      const query = {
        start_timestamp: start,
        end_timestamp: end,
        step: question.step,
        by: question.by,
        ...ownTimeZone(),
      };
      return question.isAdmin
        ? call(dashboardApi.figures, { query: { ...query, username: question.user }, signal })
        : call(dashboardApi.figuresSelf, { query, signal });
    },
    meta: { offline: true },
    placeholderData: keepPreviousData,
    refetchInterval: minutes * 60_000,
  });
