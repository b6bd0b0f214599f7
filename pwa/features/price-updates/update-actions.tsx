import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { momentOf, momentText } from '#pwa/ui/form/moment-text.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { type Decision, useDecide, useWithdrawPlan } from './queries.ts';
import type { UpdateRow } from './update-rows.ts';

interface UpdateActionsProps {
  rows: readonly UpdateRow[];
  /** Variant of the first button. */
  variant: 'filled' | 'subtle';
  onDone: () => void;
}

const hourSeconds = 3600;

/** Decisions about changes: apply now or at a time, dismiss; withdraw plans. */
export function UpdateActions({ rows, variant, onDone }: UpdateActionsProps) {
  const { t } = useTranslation();
  const decide = useDecide();
  const withdraw = useWithdrawPlan();
  const [isPlanning, setPlanning] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const changes = rows.flatMap(({ model, revision }) => (revision === undefined ? [] : [{ model, revision }]));
  const plans = rows.flatMap(({ plan }) => plan ?? []);
  const guarded = rows.filter(({ guards }) => guards.length > 0).length;
  const isBusy = decide.isPending || withdraw.isPending;

  async function handleDecide(decision: Omit<Decision, 'changes'>): Promise<void> {
    const outcome = await decide.mutateAsync({ ...decision, changes }).catch((failure: unknown) => toastFailure(failureOf(failure)));
    setPlanning(false);
    setConfirming(false);
    if (outcome === undefined) return;
    const done = decision.kind === 'dismiss' ? 'dismissed' : decision.at === undefined ? 'applied' : 'planned';
    if (outcome.done.length > 0) toastSuccess(t(`price-updates.done.${done}`, { count: outcome.done.length }));
    const models = outcome.refused.map(({ model }) => model).slice(0, 5);
    if (models.length > 0)
      toastFailure({
        code: 'revision_conflict',
        message: t('price-updates.done.refused', { count: outcome.refused.length, models: models.join(', ') }),
      });
    onDone();
  }
  async function handleWithdraw(): Promise<void> {
    for (const { id } of plans) await withdraw.mutateAsync(id).catch((failure: unknown) => toastFailure(failureOf(failure)));
    onDone();
  }
  return (
    <>
      {changes.length > 0 && (
        <>
          <OnlineButton
            variant={variant}
            disabled={isBusy}
            onClick={() => (guarded > 0 ? setConfirming(true) : void handleDecide({ kind: 'apply' }))}
            label={t('price-updates.action.apply')}
          />
          <OnlineButton
            variant={variant === 'filled' ? 'default' : variant}
            disabled={isBusy}
            onClick={() => setPlanning(true)}
            label={t('price-updates.action.plan')}
          />
          <OnlineButton
            variant="subtle"
            disabled={isBusy}
            onClick={() => void handleDecide({ kind: 'dismiss' })}
            label={t('price-updates.action.dismiss')}
          />
        </>
      )}
      {plans.length > 0 && (
        <OnlineButton
          variant="subtle"
          data-danger
          disabled={isBusy}
          onClick={() => void handleWithdraw()}
          label={t('price-updates.action.withdraw')}
        />
      )}
      <ConfirmDialog
        opened={isConfirming}
        title={t('price-updates.confirm.title', { count: changes.length })}
        text={t('price-updates.confirm.text', { count: guarded })}
        confirmLabel={t('price-updates.action.apply')}
        onConfirm={() => handleDecide({ kind: 'apply' })}
        onCancel={() => setConfirming(false)}
      />
      {isPlanning && (
        <PlanDialog count={changes.length} onPlan={(at) => handleDecide({ kind: 'apply', at })} onClose={() => setPlanning(false)} />
      )}
    </>
  );
}

interface PlanDialogProps {
  count: number;
  onPlan: (at: number) => Promise<void>;
  onClose: () => void;
}

function PlanDialog({ count, onPlan, onClose }: PlanDialogProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => momentText(Math.ceil(Date.now() / 1000 / hourSeconds) * hourSeconds + hourSeconds));
  const at = momentOf(text);
  const isPast = at === undefined || at <= Date.now() / 1000;
  return (
    <ConfirmDialog
      opened
      hasFields
      title={t('price-updates.plan.title', { count })}
      text={
        <span className={layout.stackSm}>
          <span>{t('price-updates.plan.text')}</span>
          <TextInput
            type="datetime-local"
            label={t('price-updates.plan.at')}
            description={Intl.DateTimeFormat().resolvedOptions().timeZone}
            value={text}
            error={isPast ? t('price-updates.plan.past') : undefined}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </span>
      }
      isDisabled={isPast}
      confirmLabel={t('price-updates.action.plan')}
      onConfirm={() => (at === undefined ? undefined : onPlan(at))}
      onCancel={onClose}
    />
  );
}
