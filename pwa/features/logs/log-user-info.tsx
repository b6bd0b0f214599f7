import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isUnfunded } from '#pwa/api/low-water.ts';
import type { Log } from '#shared/logs.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { SummaryList, PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import { logUserQuery } from './queries.ts';
import styles from './logs.module.css';

/** Details of the caller for administrators, requested only when they are opened. */
export function UserInfo({ log }: { log: Log }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const user = useQuery({ ...logUserQuery(log.user_id), enabled: isOpen });
  if (!isOpen) {
    const action = t('receipt.user.open');
    return (
      <div className={styles.user}>
        <OnlineButton icon={<Icon name="user" />} onClick={() => setOpen(true)} label={action} />
      </div>
    );
  }
  return (
    <PanelSection title={t('receipt.user.title')} aside={`#${log.user_id}`}>
      <QueryState query={user} what={t('receipt.user.title')} lines={3}>
        {(account) => (
          <>
            <BalanceMeter
              label={t('receipt.user.balance')}
              value={account.quota}
              fullMark={account.full_mark}
              isUnfilled={isUnfunded(account)}
              valueText={format.quota(account.quota)}
            />
            <SummaryList
              items={[
                { name: t('receipt.user.username'), value: account.username },
                { name: t('receipt.user.used'), value: format.quota(account.used_quota) },
                { name: t('receipt.user.calls'), value: format.count(account.request_count) },
              ]}
            />
          </>
        )}
      </QueryState>
    </PanelSection>
  );
}
