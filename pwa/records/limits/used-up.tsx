import { useTranslation } from 'react-i18next';
import type { BudgetState } from '#shared/budget-states.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import surface from '#pwa/ui/styles/surface.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { BudgetActions } from './budget-actions.tsx';
import styles from './limits.module.css';
import { useLimitWords } from './use-limit-words.ts';

/** Budgets that are used up, above everything else: what happens to calls, until when, and what can be done. */
export function UsedUp({ states }: { states: readonly BudgetState[] }) {
  const now = Date.now() / 1000;
  const ended = states.filter(({ left, starts_at: from, ends_at: until }) => from !== 0 && left <= 0 && (until === 0 || until > now));
  return ended.map((state) => <UsedUpNote key={state.key} state={state} />);
}

function UsedUpNote({ state }: { state: BudgetState }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const { budget, refused, ends_at: until } = state;
  const now = Date.now() / 1000;
  const when = until === 0 ? '' : until - now < 86_400 ? format.clock(until) : format.day(until);
  const effect =
    until === 0
      ? t(`limits.used.${budget.at_end}_once`)
      : t(`limits.used.${budget.at_end}`, { time: when, distance: words.distance(until - now) });
  return (
    <section className={`${layout.stackMd} ${styles.used}`} role="status">
      <StatusMark status="empty" strong>
        {t('limits.used.title', { name: words.budgetName(budget) })}
      </StatusMark>
      <p>
        {refused === 0
          ? effect
          : t('limits.used.both', { when: effect, refused: t('limits.used.refused', { count: refused, amount: format.count(refused) }) })}
      </p>
      {budget.at_end !== 'warn' && (
        <div>
          <p className={typography.note}>{t('limits.receives.title')}</p>
          <pre className={`${surface.well} ${typography.mono} ${typography.small} ${typography.secondary} ${styles.receives}`}>
            {receives(until, now)}
          </pre>
        </div>
      )}
      {state.is_editable && <BudgetActions state={state} />}
    </section>
  );
}

/** Answer to a refused call, for programs. */
function receives(until: number, now: number): string {
  if (until === 0) return 'HTTP 402\ncode: budget_used_up';
  return `HTTP 402\ncode: budget_reached\nretry-after: ${Math.max(1, Math.ceil(until - now))}`;
}
