import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { Organisation } from '#shared/organisations.ts';
import { LimitLevel } from '#pwa/records/limits/limit-level.tsx';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { monthBudgetOf } from './month-budget.ts';
import styles from './organisations.module.css';
import { usageQuery } from './queries.ts';

const FundDialog = lazyPart(
  () => import('./fund-dialog.tsx'),
  (part) => part.FundDialog,
);

interface OrganisationLevelsProps {
  organisation: Organisation;
  onSettings: () => void;
}

/** The shared wallet, and what of this month's budget is left; nothing for who does not read usage. */
export function OrganisationLevels({ organisation, onSettings }: OrganisationLevelsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [isFunding, setFunding] = useState(false);
  const { quota, used_quota: used = 0, full_mark: fullMark = 0 } = organisation;
  if (quota === undefined) return null;
  return (
    <div className={styles.levels}>
      <section className={styles.level}>
        <h2 className={styles.levelName}>
          <span>{t('organisations.wallet.title')}</span>
          <span className={typography.note}>{t('organisations.wallet.pays')}</span>
        </h2>
        <BalanceMeter
          size="hero"
          label={t('organisations.wallet.title')}
          value={quota}
          valueText={format.quota(quota)}
          fullMark={fullMark}
          isUnfilled={quota === 0 && used === 0 && fullMark === 0}
        />
        <p className={`${layout.spread} ${styles.under}`}>
          <span className={typography.note}>{t('organisations.wallet.used', { amount: format.quota(used) })}</span>
          <OnlineButton size="compact-sm" onClick={() => setFunding(true)} label={t('organisations.fund.action')} />
        </p>
      </section>
      <MonthLevel organisation={organisation} onSettings={onSettings} />
      {isFunding && <FundDialog organisation={organisation} direction="in" onClose={() => setFunding(false)} />}
    </div>
  );
}

function MonthLevel({ organisation, onSettings }: OrganisationLevelsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const now = Date.now();
  const usage = useQuery(usageQuery(organisation.id, { by: 'member' })).data;
  const used = usage?.reduce((sum, part) => sum + part.quota, 0);
  const month = monthBudgetOf({ budgets: organisation.budgets, used_quota: used }, now);
  const { role = 'reader' } = organisation;
  if (used === undefined) return <section className={styles.level} />;
  if (month === undefined) {
    return (
      <section className={styles.level}>
        <h2 className={styles.levelName}>
          <span>{t('organisations.month.spent', { month: format.month(now / 1000) })}</span>
        </h2>
        <p className={styles.figure}>{format.quota(used)}</p>
        <p className={`${layout.spread} ${styles.under}`}>
          <span className={typography.note}>{t('organisations.month.no_budget')}</span>
          {mayInOrganisation(role, 'manage') && (
            <Button size="compact-sm" onClick={onSettings}>
              {t('organisations.month.set')}
            </Button>
          )}
        </p>
      </section>
    );
  }
  const { budget, left, standing } = month;
  const empties = words.empties(standing, now / 1000);
  return (
    <section className={styles.level}>
      <h2 className={styles.levelName}>
        <span>{t('organisations.month.budget', { month: format.month(now / 1000) })}</span>
      </h2>
      <p className={styles.figure} data-level>
        {format.quota(left)} <span>{t('limits.of', { amount: format.quota(budget.amount) })}</span>
      </p>
      <LimitLevel
        name={t('organisations.month.used', { amount: format.quota(used) })}
        label={t('limits.standing.label', { name: t('organisations.month.budget', { month: format.month(now / 1000) }) })}
        left=""
        standing={standing}
        begin={empties}
        end={t(`limits.end.${budget.at_end}`)}
      />
    </section>
  );
}
