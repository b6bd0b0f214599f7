import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useDisabledChannels } from '#pwa/api/channel-summary.ts';
import { isUnfunded, warningThreshold } from '#pwa/api/low-water.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { NoCredit } from '#pwa/ui/billing/no-credit.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import styles from './home-screen.module.css';
import { todayQuery, weekQuery } from './queries.ts';
import { RecentCalls } from './recent-calls.tsx';

export function HomeScreen() {
  const { t } = useTranslation();
  return (
    <Screen title={t('home.title')} layout="page">
      <ChannelAlarm />
      <div className={styles.blocks}>
        <Balance />
        <Today />
        <RecentCalls />
      </div>
    </Screen>
  );
}

/** For administrators. */
function ChannelAlarm() {
  const { t } = useTranslation();
  const count = useDisabledChannels();
  if (count === 0) return null;
  return (
    <Link to="/channel" search={{ status: 'auto' }} className={styles.alarm}>
      <StatusMark status="auto">{t('home.channels_disabled', { count })}</StatusMark>
      <Icon name="right" />
    </Link>
  );
}

function Balance() {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useQuery(selfQuery);
  const week = useQuery(weekQuery);
  const isStale = useConnection() !== 'online';
  const days =
    self.data !== undefined && week.data !== undefined && week.data.quota > 0
      ? (self.data.quota / week.data.quota) * spentDays(self.data.created_time)
      : undefined;
  const low = self.data === undefined ? undefined : warningThreshold(self.data);
  return (
    <Block title={t('home.balance.title')} isQuiet aside={<AsOf at={self.dataUpdatedAt} isStale={isStale} />}>
      <QueryState query={self} what={t('home.balance.title')} lines={2}>
        {(user) => (
          <>
            <BalanceMeter
              size="hero"
              label={t('home.balance.title')}
              value={user.quota}
              valueText={format.quota(user.quota)}
              fullMark={user.full_mark}
              isUnfilled={isUnfunded(user)}
              lowMark={low}
              {...(low === undefined ? {} : { lowText: t('home.balance.low', { amount: format.quota(low) }) })}
              {...(user.full_mark > 0 ? { fullText: t('home.balance.full', { amount: format.quota(user.full_mark) }) } : {})}
            />
            {days !== undefined && user.quota > 0 && (
              <dl className={styles.lasts}>
                <dt>{t('home.balance.by_week')}</dt>
                <dd>{lasts(days)}</dd>
              </dl>
            )}
          </>
        )}
      </QueryState>
    </Block>
  );

  /** In days while that says something: from a year on the pace of a week is no forecast. */
  function lasts(rest: number): string {
    if (rest > 365) return t('home.balance.more_than_a_year');
    return rest >= 1 ? t('home.balance.days', { count: Math.floor(rest) }) : t('home.balance.less_than_a_day');
  }
}

/** Days in which the spend of the last week was made: a new account has not had seven. */
function spentDays(createdAt: number): number {
  return Math.min(7, Math.max(1, (Date.now() / 1000 - createdAt) / 86_400));
}

function Today() {
  const { t } = useTranslation();
  const format = useFormat();
  const today = useQuery(todayQuery);
  const self = useQuery(selfQuery);
  const status = useSiteStatus();
  const isStale = useConnection() !== 'online';
  return (
    <Block
      title={
        today.data === undefined || format.dayKey(today.data.since) === format.dayKey(Date.now() / 1000)
          ? t('home.today.title')
          : format.day(today.data.since)
      }
      aside={<AsOf at={today.dataUpdatedAt} isStale={isStale} />}
    >
      <QueryState query={today} what={t('home.today.title')} lines={1}>
        {(sums) => (
          <dl className={styles.sums}>
            <div>
              <dt>{t('home.today.spent')}</dt>
              <dd>{format.quota(sums.spent)}</dd>
            </div>
            <div>
              <dt>{t('home.today.calls')}</dt>
              <dd>
                {format.count(sums.calls)}
                {sums.isLowerBound && '+'}
              </dd>
            </div>
            {self.data !== undefined && (
              <div>
                <dt>{t('home.today.used_ever')}</dt>
                <dd>{format.quota(self.data.used_quota)}</dd>
              </div>
            )}
          </dl>
        )}
      </QueryState>
      {self.data !== undefined && self.data.quota <= 0 && self.data.role < Role.admin && (
        <div className={styles.start}>
          <NoCredit topUpLink={status?.top_up_link ?? ''} />
        </div>
      )}
      {self.data?.request_count === 0 && (self.data.quota > 0 || self.data.role >= Role.admin) && (
        <div className={styles.start}>
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
    </Block>
  );
}
