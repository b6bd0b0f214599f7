import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Budget } from '#shared/budgets.ts';
import type { LimitScope, RateLimit } from '#shared/rate-limits.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { BudgetList } from './budget-list.tsx';
import { type BudgetDraft, budgetDrafts, type RateDraft, rateDrafts } from './limit-drafts.ts';
import styles from './limits.module.css';
import { budgetStatesQuery, type LimitedOwner, rateStatesQuery } from './queries.ts';
import { RateList } from './rate-list.tsx';
import { UsedUp } from './used-up.tsx';

interface Edited<Draft> {
  drafts: readonly Draft[];
  error: ReactNode;
  /** Why they cannot be changed here; absent: they can. */
  lock?: ReactNode;
  /** Below the list. */
  foot?: ReactNode;
  onChange: (drafts: Draft[]) => void;
}

interface LimitsPartProps {
  /** Whose state is shown. Undefined: the record is new, and has none. */
  owner: LimitedOwner | undefined;
  scope: LimitScope;
  /** The record as it is stored. */
  before: { budgets?: readonly Budget[] | undefined; rate_limits?: readonly RateLimit[] | undefined };
  budgets: Edited<BudgetDraft>;
  rates: Edited<RateDraft>;
}

/** Differs from `{}`: the cached states of the reader's account are not those of a new record. */
const unstored: LimitedOwner = { token_id: '' };

/** Budgets and rate limits of a record: what is left of each, and their editor. */
export function LimitsPart({ owner, scope, before, budgets, rates }: LimitsPartProps) {
  const { t } = useTranslation();
  const isStale = useConnection() !== 'online';
  const budgetStates = useQuery({ ...budgetStatesQuery(owner ?? unstored), enabled: owner !== undefined });
  const rateStates = useQuery({ ...rateStatesQuery(owner ?? unstored), enabled: owner !== undefined });
  const stored = useMemo(() => ({ budgets: budgetDrafts(before.budgets), rates: rateDrafts(before.rate_limits) }), [before]);
  const states = budgetStates.data ?? [];
  const own = states.filter((state) => state.scope === scope);
  return (
    <div className={styles.part}>
      <UsedUp states={states} />
      <PanelSection
        title={t(owner === undefined ? 'limits.budgets.new' : 'limits.budgets.title')}
        aside={<AsOf at={budgetStates.data === undefined ? 0 : budgetStates.dataUpdatedAt} isStale={isStale} />}
      >
        <Lock>{budgets.lock}</Lock>
        <BudgetList
          drafts={budgets.drafts}
          before={stored.budgets}
          states={owner === undefined ? undefined : own}
          others={states.filter((state) => state.scope !== scope)}
          error={budgets.error}
          isReadOnly={budgets.lock !== undefined}
          onChange={budgets.onChange}
        />
        {budgetStates.isError && budgetStates.data === undefined && stored.budgets.length > 0 && (
          <p className={typography.note}>
            <StatusMark status="failed">{t('limits.budgets.no_state')}</StatusMark>
          </p>
        )}
        {budgets.foot}
      </PanelSection>
      <PanelSection
        title={t(owner === undefined ? 'limits.rates.new' : 'limits.rates.title')}
        aside={<AsOf at={rateStates.data === undefined ? 0 : rateStates.dataUpdatedAt} isStale={isStale} />}
      >
        <Lock>{rates.lock}</Lock>
        <RateList
          drafts={rates.drafts}
          before={stored.rates}
          states={owner === undefined ? undefined : (rateStates.data ?? []).filter((state) => state.scope === scope)}
          others={rateStates.data?.filter((state) => state.scope !== scope) ?? []}
          error={rates.error}
          isReadOnly={rates.lock !== undefined}
          onChange={rates.onChange}
        />
        {rates.foot}
      </PanelSection>
    </div>
  );
}

function Lock({ children }: { children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <p className={styles.lock}>
      <StatusMark status="note">{children}</StatusMark>
    </p>
  );
}
