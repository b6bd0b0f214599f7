import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UsageFigures } from '#shared/dashboard.ts';
import { Role } from '#shared/roles.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { canTopUp } from '#pwa/api/can-top-up.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { compare, leastCompared } from '#pwa/ui/billing/comparison.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { NoCredit } from '#pwa/ui/billing/no-credit.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { ChartShape, FiguresShape } from '#pwa/ui/frame/shapes.tsx';
import { midnight } from '#pwa/ui/local-days.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import homeScreenStyles from './home-screen.module.css';
import styles from './today-block.module.css';
import { HourChart } from './hour-chart.tsx';
import { todayQuery } from './queries.ts';
import { hoursOfToday, sumsOfToday, type TodayHour } from './today.ts';

/** Today by the hour, compared with yesterday: one's own calls, or those of all users. */
export function TodayBlock({ isForAll = false }: { isForAll?: boolean }) {
  const { t } = useTranslation();
  const today = useQuery(todayQuery(isForAll));
  const isStale = useConnection() !== 'online';
  const [shown, setShown] = useState<'chart' | 'table'>('chart');
  return (
    <Block
      title={t('home.today.title')}
      aside={
        <span className={`${typography.note} ${homeScreenStyles.aside}`}>
          {shown === 'chart' && <Legend />}
          <AsOf at={today.dataUpdatedAt} isStale={isStale} />
          <Segments
            label={t('home.today.shown')}
            value={shown}
            options={[
              { value: 'chart', label: t('home.today.chart') },
              { value: 'table', label: t('home.today.table') },
            ]}
            onChange={setShown}
          />
        </span>
      }
    >
      <QueryState query={today} what={t('home.today.title')} shape={<TodayShape isForAll={isForAll} />}>
        {(figures) => <Figures figures={figures} isForAll={isForAll} isTable={shown === 'table'} />}
      </QueryState>
      {!isForAll && <Start />}
    </Block>
  );
}

/** Figures, and a picture under them: an operator's desk has two of each. */
function TodayShape({ isForAll }: { isForAll: boolean }) {
  const isTwice = !useIsPhone() && isForAll;
  return (
    <>
      <FiguresShape count={isTwice ? 1 : 3} />
      <ChartShape size="hours" />
      {isTwice && (
        <>
          <FiguresShape count={2} />
          <ChartShape size="hours" />
        </>
      )}
    </>
  );
}

function Figures({ figures, isForAll, isTable }: { figures: UsageFigures; isForAll: boolean; isTable: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  // Stored figures may be of another day: that day is shown then.
  const start = midnight(figures.at * 1000);
  const hours = hoursOfToday(figures, start, midnight(figures.at * 1000, 1));
  const sums = sumsOfToday(hours, figures.at);
  const isToday = format.dayKey(figures.at) === format.dayKey(Date.now() / 1000);
  const change = (now: number, before: number, least: number): string | undefined => {
    const found = compare(now, before, least);
    return found === undefined ? undefined : t(`home.today.${found.kind}`, { ...found });
  };
  const worst = sums.worst;
  const hasCalls = hours.some((hour) => (hour.today?.calls ?? 0) + (hour.today?.errors ?? 0) + hour.yesterday.calls > 0);
  // Each picture stands under its own figure; on a phone all figures come first.
  const isApart = !isPhone && isForAll && !isTable && hasCalls;
  const spent = (
    <Sum label={t('home.today.spent')} remark={change(sums.quota, sums.before.quota, leastCompared.dollars * format.quotaPerUnit)}>
      {format.quota(sums.quota)}
    </Sum>
  );
  const calls = (
    <>
      <Sum label={t('home.today.calls')} remark={change(sums.calls, sums.before.calls, leastCompared.calls)}>
        {format.count(sums.calls)}
      </Sum>
      <Sum
        label={t('home.today.failed')}
        remark={worst === undefined ? undefined : t('home.today.worst', { time: format.clock(worst.start) })}
      >
        {format.count(sums.errors)}
      </Sum>
    </>
  );
  return (
    <>
      {!isToday && <p className={styles.remark}>{format.day(start)}</p>}
      <dl className={styles.sums}>
        {spent}
        {!isApart && calls}
      </dl>
      {isTable ? (
        <HourTable hours={hours} />
      ) : !hasCalls ? (
        // A person without calls is led to the first one below.
        isForAll && <p className={homeScreenStyles.none}>{t('home.today.none')}</p>
      ) : (
        <>
          {/* On a phone one picture: an operator's calls with what failed, a person's spend. */}
          {!(isForAll && isPhone) && (
            <HourChart
              label={t('home.today.picture_spent')}
              hours={hours}
              value={(one) => one.quota}
              format={format.quota}
              unit={format.inCurrency ? format.quotaPerUnit : 1}
              hasFailures={!isForAll}
            />
          )}
          {isApart && <dl className={styles.sums}>{calls}</dl>}
          {isForAll && (
            <HourChart label={t('home.today.picture_calls')} hours={hours} value={(one) => one.calls} format={format.count} hasFailures />
          )}
          <p className={styles.key}>{t('home.today.key')}</p>
        </>
      )}
    </>
  );
}

/** What the marks of the pictures mean, where there is room; elsewhere a sentence below says it. */
function Legend() {
  const { t } = useTranslation();
  return (
    <span className={styles.legend} aria-hidden>
      {(['now', 'before', 'failures'] as const).map((mark) => (
        <span key={mark} data-mark={mark}>
          {t(`home.today.mark_${mark}`)}
        </span>
      ))}
    </span>
  );
}

function Sum({ label, remark, children }: { label: string; remark: string | undefined; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
      {remark !== undefined && <dd className={styles.remark}>{remark}</dd>}
    </div>
  );
}

function HourTable({ hours }: { hours: readonly TodayHour[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <table className={`${typography.compact} ${homeScreenStyles.table}`}>
      <thead>
        <tr>
          <th scope="col">{t('home.today.hour')}</th>
          <th scope="col">{t('home.today.spent')}</th>
          <th scope="col">{t('home.today.yesterday')}</th>
          <th scope="col">{t('home.today.calls')}</th>
          <th scope="col">{t('home.today.failed')}</th>
        </tr>
      </thead>
      <tbody>
        {hours
          .filter((hour) => hour.today !== undefined)
          .map((hour) => (
            <tr key={hour.start}>
              <th scope="row">{format.clock(hour.start)}</th>
              <td>{format.quotaBare(hour.today?.quota ?? 0)}</td>
              <td>{format.quotaBare(hour.yesterday.quota)}</td>
              <td>{format.count(hour.today?.calls ?? 0)}</td>
              <td>{format.count(hour.today?.errors ?? 0)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** The way to the first call, or to credit. */
export function Start() {
  const { t } = useTranslation();
  const self = useQuery(selfQuery);
  const status = useSiteStatus();
  if (self.data === undefined) return null;
  const { quota, role, request_count: calls } = self.data;
  const isAdmin = role >= Role.admin;
  return (
    <>
      {quota <= 0 && !isAdmin && (
        <div className={`${layout.stackSm} ${styles.start}`}>
          <NoCredit user={self.data} canTopUp={canTopUp(status)} />
        </div>
      )}
      {calls === 0 && (quota > 0 || isAdmin) && (
        <div className={`${layout.stackSm} ${styles.start}`}>
          <p>{t('home.today.first_call')}</p>
          <Button
            renderRoot={(attributes) => <Link {...attributes} to="/first-call" />}
            variant="filled"
            leftSection={<Icon name="play" />}
          >
            {t('home.today.open_guide')}
          </Button>
        </div>
      )}
    </>
  );
}
