import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceOutcome } from '#shared/price-sync.ts';
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
/** Models that a refusal names. */
const shownModels = 5;

/** Decides on changes and shows the outcome. Failures are toasted. */
function useDecisions({ rows, onDone }: Pick<UpdateActionsProps, 'rows' | 'onDone'>) {
  const { t } = useTranslation();
  const decide = useDecide();
  const withdraw = useWithdrawPlan();
  const changes = rows.flatMap(({ model, revision }) => (revision === undefined ? [] : [{ model, revision }]));
  const plans = rows.flatMap(({ plan }) => plan ?? []);

  function showOutcome({ kind, at }: Omit<Decision, 'changes'>, { done, refused }: PriceOutcome): void {
    const what = kind === 'dismiss' ? 'dismissed' : at === undefined ? 'applied' : 'planned';
    if (done.length > 0) toastSuccess(t(`price-updates.done.${what}`, { count: done.length }));
    if (refused.length === 0) return;
    const models = refused.map(({ model }) => model).slice(0, shownModels);
    toastFailure({
      code: 'revision_conflict',
      message: t('price-updates.done.refused', { count: refused.length, models: models.join(', ') }),
    });
  }
  return {
    changes,
    plans,
    isBusy: decide.isPending || withdraw.isPending,
    async decideAll(decision: Omit<Decision, 'changes'>): Promise<void> {
      const outcome = await decide.mutateAsync({ ...decision, changes }).catch(() => undefined);
      if (outcome === undefined) return;
      showOutcome(decision, outcome);
      onDone();
    },
    async withdrawAll(): Promise<void> {
      for (const { id } of plans) await withdraw.mutateAsync(id).catch(() => undefined);
      onDone();
    },
  };
}

/** Decisions about changes: apply now or at a time, dismiss; withdraw plans. */
export function UpdateActions({ rows, variant, onDone }: UpdateActionsProps) {
  const { t } = useTranslation();
  const { changes, plans, isBusy, decideAll, withdrawAll } = useDecisions({ rows, onDone });
  const [shown, setShown] = useState<'apply' | 'plan'>();
  const guarded = rows.filter(({ guards }) => guards.length > 0).length;
  const button = { disabled: isBusy } as const;
  async function handleDecide(decision: Omit<Decision, 'changes'>): Promise<void> {
    await decideAll(decision);
    setShown(undefined);
  }
  return (
    <>
      {changes.length > 0 && (
        <>
          <OnlineButton
            {...button}
            variant={variant}
            onClick={() => (guarded > 0 ? setShown('apply') : void handleDecide({ kind: 'apply' }))}
            label={t('price-updates.action.apply')}
          />
          <OnlineButton
            {...button}
            variant={variant === 'filled' ? 'default' : variant}
            onClick={() => setShown('plan')}
            label={t('price-updates.action.plan')}
          />
          <OnlineButton
            {...button}
            variant="subtle"
            onClick={() => void handleDecide({ kind: 'dismiss' })}
            label={t('price-updates.action.dismiss')}
          />
        </>
      )}
      {plans.length > 0 && (
        <OnlineButton
          {...button}
          variant="subtle"
          data-danger
          onClick={() => void withdrawAll()}
          label={t('price-updates.action.withdraw')}
        />
      )}
      <ConfirmDialog
        opened={shown === 'apply'}
        title={t('price-updates.confirm.title', { count: changes.length })}
        text={t('price-updates.confirm.text', { count: guarded })}
        confirmLabel={t('price-updates.action.apply')}
        onConfirm={() => handleDecide({ kind: 'apply' })}
        onCancel={() => setShown(undefined)}
      />
      {shown === 'plan' && (
        <PlanDialog count={changes.length} onPlan={(at) => handleDecide({ kind: 'apply', at })} onClose={() => setShown(undefined)} />
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
            description={new Intl.DateTimeFormat().resolvedOptions().timeZone}
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
