import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { UsageFigures } from '#shared/dashboard.ts';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { ChartShape, FiguresShape } from '#pwa/ui/frame/shapes.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { ScreenAge } from '#pwa/ui/frame/screen-age.tsx';
import { Breakdown } from './breakdown.tsx';
import { chartParts, type ChartStep, chartSteps, wholeOf } from './chart-steps.ts';
import { DashboardFilters } from './dashboard-filters.tsx';
import { boundsOf, type DashboardQuestion, longestDays, questionOf } from './dashboard-question.ts';
import type { DashboardSearch } from './dashboard-search.ts';
import { FiguresMenu } from './figures-menu.tsx';
import { logLink } from './log-link.ts';
import { Calls, Failures, Speed, Spent, Tokens } from './questions.tsx';
import { figuresQuery } from './queries.ts';
import styles from './dashboard.module.css';

interface DashboardScreenProps {
  search: DashboardSearch;
  onSearch: (change: Partial<DashboardSearch>) => void;
}

export function DashboardScreen({ search, onSearch }: DashboardScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const status = useSiteStatus();
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const usual = status?.data_export_default_time;
  const question = questionOf(search, { isAdmin, usualStep: usual === 'day' || usual === 'week' ? usual : 'hour' });
  const { isLong } = boundsOf(question, Date.now());
  const query = useQuery({ ...figuresQuery(question, status?.data_export_interval ?? 5), enabled: !isLong });
  const isCompared = search.compare !== false;
  const figures = isLong || query.isPlaceholderData ? undefined : query.data;
  return (
    <Screen
      title={t('dashboard.title')}
      layout="page"
      facts={isPhone ? undefined : <SummaryItem label={t('dashboard.time_zone')}>{format.timeZone}</SummaryItem>}
      filters={
        <DashboardFilters
          question={question}
          isAdmin={isAdmin}
          search={search}
          onChange={onSearch}
          tools={<FiguresMenu figures={figures} question={question} isCompared={isCompared} />}
        />
      }
    >
      <ScreenAge query={query} />
      {status?.enable_data_export === false && (
        <p className={styles.notice}>
          <StatusMark status="note">{t('dashboard.off')}</StatusMark>
        </p>
      )}
      {isLong ? (
        <p className={styles.notice}>
          <StatusMark status="look">{t('dashboard.too_long', { days: longestDays })}</StatusMark>
        </p>
      ) : (
        <QueryState query={query} what={t('dashboard.title')} shape={<QuestionShapes />}>
          {(shown) => <Questions figures={shown} question={question} isCompared={isCompared} isDim={query.isPlaceholderData} />}
        </QueryState>
      )}
    </Screen>
  );
}

/** As many pictures as there are questions. */
function QuestionShapes() {
  return (
    <div className={styles.questions}>
      {Array.from({ length: 6 }, (_, index) => (
        <section key={index} className={styles.question}>
          <FiguresShape count={1} />
          <ChartShape size="question" />
        </section>
      ))}
    </div>
  );
}

interface QuestionsProps {
  figures: UsageFigures;
  question: DashboardQuestion;
  isCompared: boolean;
  /** What is shown is still of the question before. */
  isDim: boolean;
}

function Questions({ figures, question, isCompared, isDim }: QuestionsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const steps = useMemo(() => chartSteps(figures, format), [figures, format]);
  const parts = useMemo(() => chartParts(figures), [figures]);
  const shared = {
    figures,
    steps,
    parts,
    isCompared,
    whole: wholeOf(figures),
    linkOf: (step: ChartStep, isFailed = false) => logLink(question, step, { isFailed }),
    onStep: (step: ChartStep, isFailed = false) => void navigate({ to: '/log', search: logLink(question, step, { isFailed }) }),
  };
  return (
    <>
      {figures.complete_from !== null && (
        <p className={styles.notice}>
          <StatusMark status="look">{t('dashboard.building', { time: format.dateTime(figures.complete_from) })}</StatusMark>
        </p>
      )}
      <div className={styles.questions} data-dim={isDim || undefined}>
        <Spent {...shared} />
        <Calls {...shared} />
        <Failures {...shared} />
        <Speed {...shared} />
        <Tokens {...shared} />
        <Breakdown figures={figures} question={question} whole={shared.whole} />
      </div>
    </>
  );
}
