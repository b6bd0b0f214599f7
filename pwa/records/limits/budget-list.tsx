import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetState } from '#shared/budget-states.ts';
import { mostBudgets } from '#shared/budgets.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { BudgetActions } from './budget-actions.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { BudgetPeriods } from './budget-periods.tsx';
import { budgetStanding } from './budget-standing.ts';
import { type BudgetDraft, budgetProblems, newBudget } from './limit-drafts.ts';
import { LimitLevel } from './limit-level.tsx';
import { LimitRow } from './limit-row.tsx';
import styles from './limits.module.css';
import { useLimitWords } from './use-limit-words.ts';

interface BudgetListProps {
  drafts: readonly BudgetDraft[];
  /** As they are stored. */
  before: readonly BudgetDraft[];
  /** How those that are stored stand now. Undefined: the record is not stored itself. */
  states?: readonly BudgetState[] | undefined;
  /** Budgets of others that bind as well. */
  others?: readonly BudgetState[];
  error?: ReactNode;
  isSite?: boolean;
  isReadOnly?: boolean;
  onChange: (drafts: BudgetDraft[]) => void;
}

const none: readonly BudgetState[] = [];

/** Budgets of one record or of the site: each a level of what is left, which opens as its form. */
export function BudgetList(props: BudgetListProps) {
  const { drafts, before, states, others = none, error, isSite = false, isReadOnly = false, onChange } = props;
  const { t } = useTranslation();
  const [open, setOpen] = useState<{ id: string; isNew: boolean }>();
  const isWrong = error !== undefined && error !== null;
  const wrong = isWrong ? drafts.find((draft) => Object.keys(budgetProblems(draft)).length > 0)?.id : undefined;
  const opened = wrong ?? open?.id;
  const toggle = (id: string): void => setOpen(opened === id ? undefined : { id, isNew: false });

  function handleAdd(): void {
    const draft = newBudget(drafts, new Intl.DateTimeFormat().resolvedOptions().timeZone);
    onChange([...drafts, draft]);
    setOpen({ id: draft.id, isNew: true });
  }
  return (
    <div>
      <ul className={styles.list}>
        {drafts.map((draft) => (
          <BudgetRow
            key={draft.id}
            draft={draft}
            before={before.find(({ id }) => id === draft.id)}
            state={states?.find(({ budget }) => budget.id === draft.id)}
            isUnsaved={states !== undefined && !before.some(({ id }) => id === draft.id)}
            isSite={isSite}
            isReadOnly={isReadOnly}
            showsProblems={isWrong}
            isOpen={opened === draft.id}
            takesFocus={open?.id === draft.id && open.isNew}
            onToggle={() => toggle(draft.id)}
            onChange={(next) => onChange(drafts.map((one) => (one.id === next.id ? next : one)))}
            onRemove={() => onChange(drafts.filter((one) => one.id !== draft.id))}
          />
        ))}
        {others.map((state) => (
          <OtherBudget key={state.key} state={state} isOpen={opened === state.key} onToggle={() => toggle(state.key)} />
        ))}
      </ul>
      {isWrong && wrong === undefined && <p className={`${typography.small} ${styles.error}`}>{error}</p>}
      {(!isReadOnly || drafts.length + others.length === 0) && (
        <div className={`${layout.row} ${layout.spread} ${styles.none}`}>
          <span className={typography.muted}>{drafts.length + others.length === 0 ? t('limits.budgets.none') : ''}</span>
          {!isReadOnly && drafts.length < mostBudgets * (isSite ? 5 : 1) && (
            <Button variant="subtle" leftSection={<Icon name="plus" />} onClick={handleAdd}>
              {t('limits.budgets.add')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

interface BudgetRowProps {
  draft: BudgetDraft;
  before: BudgetDraft | undefined;
  state: BudgetState | undefined;
  /** It is new in a record that is there. */
  isUnsaved: boolean;
  isSite: boolean;
  isReadOnly: boolean;
  showsProblems: boolean;
  isOpen: boolean;
  takesFocus: boolean;
  onToggle: () => void;
  onChange: (draft: BudgetDraft) => void;
  onRemove: () => void;
}

function BudgetRow(props: BudgetRowProps) {
  const { draft, before, state, isSite, isReadOnly, showsProblems, isOpen, takesFocus, onToggle, onChange, onRemove } = props;
  const { t } = useTranslation();
  return (
    <LimitRow
      name={useLimitWords().budgetName(draft)}
      isOpen={isOpen}
      takesFocus={takesFocus}
      onToggle={isReadOnly && state === undefined ? undefined : onToggle}
      level={(chevron) => <DraftLevel {...props} chevron={chevron} />}
    >
      {() => (
        <>
          {!isReadOnly && <BudgetFields draft={draft} before={before} isSite={isSite} showsProblems={showsProblems} onChange={onChange} />}
          {state !== undefined && <BudgetPeriods state={state} />}
          <div className={`${layout.row} ${layout.wrap} ${layout.spread} ${styles.foot}`}>
            {state?.is_editable === true && <BudgetActions state={state} />}
            {!isReadOnly && (
              <Button variant="subtle" data-danger onClick={onRemove}>
                {t('limits.remove_budget')}
              </Button>
            )}
          </div>
        </>
      )}
    </LimitRow>
  );
}

/** What is left, and what another amount would leave; of another period only what is allowed. */
function DraftLevel({
  draft,
  before,
  state,
  isUnsaved,
  isSite,
  chevron,
}: Pick<BudgetRowProps, 'draft' | 'before' | 'state' | 'isUnsaved' | 'isSite'> & { chevron: ReactNode }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const name = words.budgetName(draft);
  const { amount } = draft;
  const isSame =
    before !== undefined && draft.period === before.period && draft.starts === before.starts && draft.time_zone === before.time_zone;
  if (state !== undefined && isSame) {
    const change = amount === '' || before.amount === '' ? 0 : amount - before.amount;
    const end =
      change === 0 || amount === ''
        ? undefined
        : t('limits.standing.with', { amount: format.quota(amount), left: format.quota(state.left + change) });
    return <BudgetLevel state={state} name={name} aside={chevron} end={end} />;
  }
  const scope = [words.concerns(draft), isSite ? t(`limits.counted.${draft.counted}`) : ''].filter((part) => part !== '');
  return (
    <LimitLevel
      name={name}
      label={name}
      aside={
        <>
          {chevron}
          <span className={styles.owner}>{scope.join(' · ')}</span>
        </>
      }
      left={amount === '' ? '' : format.quota(amount)}
      of={t(`limits.every.${draft.period}`)}
      begin={isUnsaved ? t('limits.not_saved') : undefined}
      end={t(`limits.end.${draft.at_end}`)}
    />
  );
}

/** A budget that is set elsewhere: it opens to its periods. */
function OtherBudget({ state, isOpen, onToggle }: { state: BudgetState; isOpen: boolean; onToggle: () => void }) {
  const { t } = useTranslation();
  const words = useLimitWords();
  const name = words.budgetName(state.budget);
  return (
    <LimitRow
      name={`${name}, ${t(`limits.scope.${state.scope}`)}`}
      isOpen={isOpen}
      onToggle={onToggle}
      level={(chevron) => (
        <BudgetLevel
          state={state}
          name={name}
          aside={
            <>
              {chevron}
              <ScopeMark scope={state.scope} />
            </>
          }
        />
      )}
    >
      {() => (
        <>
          <BudgetPeriods state={state} />
          {state.is_editable && (
            <div className={`${layout.row} ${layout.wrap} ${layout.spread} ${styles.foot}`}>
              <BudgetActions state={state} />
            </div>
          )}
        </>
      )}
    </LimitRow>
  );
}

/** Says whose limit it is, if it is not that of the record. */
export function ScopeMark({ scope }: { scope: BudgetState['scope'] }) {
  const { t } = useTranslation();
  return (
    <span className={styles.owner}>
      <Icon name="lock" /> {t(`limits.scope.${scope}`)}
    </span>
  );
}

/** What is left of a budget. */
export function BudgetLevel({
  state,
  name,
  aside,
  end,
}: {
  state: BudgetState;
  name: string;
  aside?: ReactNode;
  end?: string | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const now = Date.now() / 1000;
  const standing = budgetStanding(state, now);
  const isKnown = standing.level !== 'over';
  const resets = words.resets(state, now);
  const empties = words.empties(standing, now);
  return (
    <LimitLevel
      name={name}
      label={t('limits.standing.label', { name })}
      aside={aside}
      left={format.quota(isKnown ? state.left : state.budget.amount)}
      of={t('limits.of', { amount: format.quota(isKnown ? state.amount : state.budget.amount) })}
      standing={isKnown ? standing : undefined}
      begin={empties === undefined ? resets : t('limits.standing.both', { empties, resets })}
      end={end ?? t(`limits.end.${state.budget.at_end}`)}
    />
  );
}
