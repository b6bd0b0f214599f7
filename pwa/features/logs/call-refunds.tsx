import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CallRefund, type Log, logApi } from '#shared/logs.ts';
import { otherOf } from '#shared/log-other.ts';
import { balanceReasonLimit } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import styles from './logs.module.css';

/** What was given back of a call: how much, when, by whom and why; an administrator may give back what is left. */
export function CallRefunds({ log, isAdmin }: { log: Log; isAdmin: boolean }) {
  const { t } = useTranslation();
  const other = otherOf(log);
  const [answered, setAnswered] = useState<CallRefund[]>([]);
  const known = other?.refunds ?? [];
  const refunds = answered.length > known.length ? answered : known;
  const [isAsked, setAsked] = useState(false);
  const left = log.quota - refunds.reduce((total, { amount }) => total + amount, 0);
  const mayRefund = isAdmin && left > 0 && other?.task === undefined;
  if (refunds.length === 0 && !mayRefund) return null;
  return (
    <PanelSection title={t('logs.refund.title')}>
      {refunds.map((refund) => (
        <Given key={refund.row} refund={refund} />
      ))}
      {mayRefund && (
        <div className={styles.user}>
          <OnlineButton onClick={() => setAsked(true)} label={t('logs.refund.action')} />
        </div>
      )}
      {isAsked && (
        <RefundDialog
          log={log}
          left={left}
          onClose={() => setAsked(false)}
          onRefunded={(row) => setAnswered(otherOf(row)?.refunds ?? [])}
        />
      )}
    </PanelSection>
  );
}

function Given({ refund: { amount, reason, at, by } }: { refund: CallRefund }) {
  const format = useFormat();
  return (
    <div className={styles.refund}>
      <span>{reason}</span>
      <Charge quota={amount} sign="+" />
      <small>{[format.dateTime(at), by ?? ''].filter((part) => part !== '').join(' · ')}</small>
    </div>
  );
}

interface RefundDialogProps {
  log: Log;
  /** Quota that can be given back yet. */
  left: number;
  onClose: () => void;
  onRefunded: (row: Log) => void;
}

function RefundDialog({ log, left, onClose, onRefunded }: RefundDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const [amount, setAmount] = useState<number | ''>(left);
  const [reason, setReason] = useState('');
  const [errors, setErrors] = useState<{ amount?: string; reason?: string }>({});
  // The same until the outcome is known: an answer may be lost.
  const [ref] = useState(() => crypto.getRandomValues(new Uint32Array(3)).join('-'));

  async function handleConfirm(): Promise<void> {
    if (amount === '' || amount <= 0 || amount > left) {
      return setErrors({ amount: t('logs.refund.too_large', { amount: format.quota(left) }) });
    }
    if (reason.trim() === '') return setErrors({ reason: t('logs.refund.reason_required') });
    setErrors({});
    try {
      const body = { amount, reason: reason.trim(), ref };
      const row = await call(logApi.refund, { params: { id: String(log.id) }, body });
      toastSuccess(t('logs.refund.done', { amount: format.quota(amount) }));
      onRefunded(row);
      onClose();
      for (const key of ['logs', 'log', 'log-sums', 'log-day', 'log-user']) await client.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      const { message, field, code } = failureOf(error);
      if (field === 'amount' || field === 'reason') setErrors({ [field]: message });
      else toastFailure({ code, message });
    }
  }

  return (
    <ConfirmDialog
      opened
      title={t('logs.refund.question')}
      text={
        <div className={styles.deletion}>
          <p>{t('logs.refund.text', { name: log.username })}</p>
          <QuotaInput label={t('logs.refund.amount')} value={amount} onChange={setAmount} error={errors.amount} />
          <TextInput
            label={t('logs.refund.reason')}
            description={t('logs.refund.reason_hint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            autoComplete="off"
            maxLength={balanceReasonLimit}
            value={reason}
            error={errors.reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </div>
      }
      confirmLabel={t('logs.refund.action')}
      onConfirm={handleConfirm}
      onCancel={onClose}
    />
  );
}
