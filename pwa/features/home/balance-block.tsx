import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { canTopUp } from '#pwa/api/can-top-up.ts';
import { isUnfunded, warningThreshold } from '#pwa/api/low-water.ts';
import { daysLeft, lastingText, weekSpendQuery } from '#pwa/api/lasting.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { LevelShape } from '#pwa/ui/frame/shapes.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './home-screen.module.css';

/** What is left, and how long it lasts. */
export function Balance() {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useQuery(selfQuery);
  const week = useQuery(weekSpendQuery);
  const status = useSiteStatus();
  const isStale = useConnection() !== 'online';
  const days =
    self.data === undefined || week.data === undefined ? undefined : daysLeft(self.data.quota, week.data.quota, self.data.created_time);
  const low = self.data === undefined ? undefined : warningThreshold(self.data);
  return (
    <Block title={t('home.balance.title')} isQuiet aside={<AsOf at={self.dataUpdatedAt} isStale={isStale} />}>
      <QueryState query={self} what={t('home.balance.title')} shape={<LevelShape />}>
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
            {isLow(user.quota) && (
              <p className={styles.lowLine}>
                <Link to="/topup">{t('home.balance.top_up')}</Link>
              </p>
            )}
            <div className={`${layout.spread} ${styles.pace}`}>
              {days !== undefined && (
                <dl className={styles.lasts}>
                  <dt>{t('home.balance.by_week')}</dt>
                  <dd>{t(`home.balance.${lastingText(days)}`, { count: Math.floor(days) })}</dd>
                </dl>
              )}
              {user.quota > 0 && !isLow(user.quota) && canTopUp(status) && (
                <Button renderRoot={(attributes) => <Link {...attributes} to="/topup" />}>{t('home.balance.to_wallet')}</Button>
              )}
            </div>
          </>
        )}
      </QueryState>
    </Block>
  );

  function isLow(quota: number): boolean {
    return low !== undefined && quota > 0 && quota < low;
  }
}
