import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetState } from '#shared/budget-states.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { useRaiseBudget, useResetBudget } from './queries.ts';
import { useLimitWords } from './use-limit-words.ts';

/** Adds to a budget until its period ends, or ends the period. Both are confirmed. */
export function BudgetActions({ state }: { state: BudgetState }) {
  const { t } = useTranslation();
  const [act, setAct] = useState<'raise' | 'reset'>();
  const close = (): void => setAct(undefined);
  return (
    <span className={layout.wrap}>
      <OnlineButton onClick={() => setAct('raise')} label={t(`limits.raise.action_${state.budget.period}`)} />
      <OnlineButton disabled={state.starts_at === 0} onClick={() => setAct('reset')} label={t('limits.reset.action')} />
      {act === 'raise' && <RaiseDialog state={state} onClose={close} />}
      {act === 'reset' && <ResetDialog state={state} onClose={close} />}
    </span>
  );
}

interface DialogProps {
  state: BudgetState;
  onClose: () => void;
}

function RaiseDialog({ state, onClose }: DialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const raise = useRaiseBudget();
  const [amount, setAmount] = useState<number | ''>('');
  const { budget, left, ends_at: until } = state;
  const more = amount === '' ? 0 : amount;
  return (
    <ConfirmDialog
      opened
      hasFields
      title={t('limits.raise.title', { name: words.budgetName(budget) })}
      text={
        <div className={layout.stackLg}>
          <p>
            {until === 0
              ? t('limits.raise.text_once')
              : t('limits.raise.text', { time: format.dateTime(until), amount: format.quota(budget.amount) })}
          </p>
          <QuotaInput
            label={t('limits.raise.amount')}
            value={amount}
            presets={[0.25, 0.5, 1].map((share) => Math.max(1, Math.round(budget.amount * share)))}
            onChange={setAmount}
          />
          <p>{t('limits.raise.after', { left: format.quota(left + more), amount: format.quota(state.amount + more) })}</p>
          <Refusal text={raise.error === null ? undefined : failureOf(raise.error).message} />
        </div>
      }
      confirmLabel={more > 0 ? t('limits.raise.confirm_amount', { amount: format.quota(more) }) : t('limits.raise.confirm')}
      isDisabled={more < 1}
      onCancel={onClose}
      onConfirm={async () => {
        const done = await raise.mutateAsync({ key: state.key, amount: more }).catch(() => undefined);
        if (done === undefined) return;
        toastSuccess(t('limits.raise.done', { left: format.quota(done.left) }));
        onClose();
      }}
    />
  );
}

function ResetDialog({ state, onClose }: DialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const reset = useResetBudget();
  return (
    <ConfirmDialog
      opened
      title={t('limits.reset.title', { name: words.budgetName(state.budget) })}
      text={
        <div className={layout.stackLg}>
          <p>{t('limits.reset.text', { used: format.quota(state.used), amount: format.quota(state.budget.amount) })}</p>
          <Refusal text={reset.error === null ? undefined : failureOf(reset.error).message} />
        </div>
      }
      confirmLabel={t('limits.reset.confirm')}
      onCancel={onClose}
      onConfirm={async () => {
        const done = await reset.mutateAsync({ key: state.key }).catch(() => undefined);
        if (done === undefined) return;
        toastSuccess(t('limits.reset.done'));
        onClose();
      }}
    />
  );
}
