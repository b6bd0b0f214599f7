import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isUnfunded, warningThreshold } from '#pwa/api/low-water.ts';
import { daysLeft, lastingText, weekSpendQuery } from '#pwa/api/lasting.ts';
import { accountQuery } from '#pwa/api/account.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import styles from './wallet.module.css';

export function BalanceBlock() {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useQuery(accountQuery());
  const spend = useQuery(weekSpendQuery);
  const isStale = useConnection() !== 'online';
  return (
    <Block title={t('wallet.balance.title')} isQuiet aside={<AsOf at={self.dataUpdatedAt} isStale={isStale} />}>
      <QueryState query={self} what={t('wallet.balance.title')} lines={3}>
        {(user) => {
          const low = warningThreshold(user);
          const days = spend.data === undefined ? undefined : daysLeft(user.quota, spend.data.quota, user.created_time);
          return (
            <>
              <BalanceMeter
                size="hero"
                label={t('wallet.balance.title')}
                value={user.quota}
                valueText={format.quota(user.quota)}
                fullMark={user.full_mark}
                isUnfilled={isUnfunded(user)}
                lowMark={low}
                {...(low === undefined ? {} : { lowText: t('wallet.balance.low', { amount: format.quota(low) }) })}
                {...(user.full_mark > 0 ? { fullText: t('wallet.balance.full', { amount: format.quota(user.full_mark) }) } : {})}
              />
              <div className={styles.facts}>
                <SummaryList
                  items={[
                    ...(days === undefined
                      ? []
                      : [
                          {
                            name: t('wallet.balance.by_week'),
                            value: t(`wallet.balance.${lastingText(days)}`, { count: Math.floor(days) }),
                          },
                        ]),
                    { name: t('wallet.balance.used'), value: format.quota(user.used_quota) },
                    { name: t('wallet.balance.calls'), value: format.count(user.request_count) },
                  ]}
                />
              </div>
            </>
          );
        }}
      </QueryState>
    </Block>
  );
}
