import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { BudgetList } from './budget-list.tsx';
import styles from './limits.module.css';
import { budgetStatesQuery, type LimitedOwner, rateStatesQuery } from './queries.ts';
import { RateList } from './rate-list.tsx';
import { UsedUp } from './used-up.tsx';

const reader: LimitedOwner = {};

/** Budgets and rate limits that bind the reader's account, or the reader in the organisation that the tab acts for. Without any there is no block. */
export function OwnLimits({ owner = reader }: { owner?: LimitedOwner }) {
  const { t } = useTranslation();
  const isStale = useConnection() !== 'online';
  const budgets = useQuery(budgetStatesQuery(owner));
  const rates = useQuery(rateStatesQuery(owner));
  const states = budgets.data ?? [];
  const limits = rates.data ?? [];
  if (states.length + limits.length === 0) return null;
  return (
    <Block title={t('limits.own.title')} aside={<AsOf at={budgets.data === undefined ? 0 : budgets.dataUpdatedAt} isStale={isStale} />}>
      <div className={styles.own}>
        <UsedUp states={states} />
        {states.length > 0 && <BudgetList drafts={[]} before={[]} others={states} isReadOnly onChange={() => {}} />}
        {limits.length > 0 && <RateList drafts={[]} before={[]} others={limits} isReadOnly onChange={() => {}} />}
      </div>
    </Block>
  );
}
