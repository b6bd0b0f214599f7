import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CallRefund, type Log, logApi } from '#shared/logs.ts';
import { otherOf } from '#shared/log-other.ts';
import { mayActOn } from '#shared/roles.ts';
import { call } from '#pwa/api/call.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { newRequestName } from '#pwa/api/request-name.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { ReasonField } from '#pwa/ui/form/reason-field.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { isHandedIn } from './log-summary.ts';
import styles from './logs.module.css';
import { logUserQuery } from './queries.ts';
import { RowLink } from './row-link.tsx';

/** What was given back of a call: how much, when, by whom and why; an administrator may give back what is left. */
export function CallRefunds({ log, isAdmin }: { log: Log; isAdmin: boolean }) {
  const { t } = useTranslation();
  const other = otherOf(log);
  const [answered, setAnswered] = useState<CallRefund[]>([]);
  const known = other?.refunds ?? [];
  const refunds = answered.length > known.length ? answered : known;
  const [isConfirming, setConfirming] = useState(false);
  const left = leftOf(log, refunds);
  const isSetAside = isHandedIn(log);
  const mayRefund = useMayRefund(log, isAdmin && left > 0 && other?.task === undefined && !isSetAside);
  if (refunds.length === 0 && !mayRefund) return null;
  return (
    <PanelSection title={refunds.length === 0 ? undefined : t('receipt.refund.title')}>
      {refunds.map((refund) => (
        <Given key={refund.row} refund={refund} />
      ))}
      {mayRefund && (
        <div className={styles.user}>
          <OnlineButton onClick={() => setConfirming(true)} label={t('receipt.refund.action')} />
        </div>
      )}
      {isConfirming && (
        <RefundDialog
          log={log}
          left={left}
          onClose={() => setConfirming(false)}
          onRow={(row) => setAnswered(otherOf(row)?.refunds ?? [])}
        />
      )}
    </PanelSection>
  );
}

function leftOf({ quota }: Log, refunds: readonly CallRefund[]): number {
  return quota - refunds.reduce((total, { amount }) => total + amount, 0);
}

/**
 * Depends on the account: calls of users of one's own rank and above cannot be refunded. An action that the server would refuse is not
 * offered.
 */
function useMayRefund(log: Log, canHaveRefund: boolean): boolean {
  const role = useStoredUser()?.role ?? 0;
  const owner = useQuery({ ...logUserQuery(log.user_id), enabled: canHaveRefund, retry: false });
  return canHaveRefund && owner.data !== undefined && mayActOn(role, owner.data.role);
}

function Given({ refund: { amount, reason, at, by, row } }: { refund: CallRefund }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={styles.refund}>
      <span>{reason}</span>
      <Charge quota={amount} sign="+" />
      <small>
        {[format.dateTime(at), by ?? ''].filter((part) => part !== '').join(' · ')} <RowLink id={row}>{t('receipt.refund.row')}</RowLink>
      </small>
    </div>
  );
}

interface RefundDialogProps {
  log: Log;
  /** Quota that can be given back yet. */
  left: number;
  onClose: () => void;
  /** The call as it stands now. */
  onRow: (row: Log) => void;
}

function RefundDialog({ log, left, onClose, onRow }: RefundDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const [amount, setAmount] = useState<number | ''>(left);
  const [reason, setReason] = useState('');
  const [errors, setErrors] = useState<{ amount?: string; reason?: string }>({});
  // The same until the outcome is known: an answer may be lost.
  const [ref] = useState(newRequestName);

  const tooLarge = (most: number): string => t('receipt.refund.too_large', { amount: format.quotaExact(most) });
  const params = { id: String(log.id) };

  /** Another administrator has refunded a part of it in the meantime. */
  async function readLeft(): Promise<number> {
    const row = await call(logApi.read, { params });
    onRow(row);
    return leftOf(row, otherOf(row)?.refunds ?? []);
  }

  async function handleConfirm(): Promise<void> {
    if (amount === '' || amount <= 0 || amount > left) return setErrors({ amount: tooLarge(left) });
    if (reason.trim() === '') return setErrors({ reason: t('receipt.refund.reason_required') });
    setErrors({});
    try {
      const body = { amount, reason: reason.trim(), ref };
      const row = await call(logApi.refund, { params, body });
      // What was given back, which may be an earlier attempt's whose answer was lost.
      const given = left - leftOf(row, otherOf(row)?.refunds ?? []);
      toastSuccess(t('receipt.refund.done', { amount: format.quotaExact(given > 0 ? given : amount) }));
      onRow(row);
      onClose();
      for (const key of ['logs', 'log', 'log-sums', 'log-day', 'log-user']) await client.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      const { message, field, code } = failureOf(error);
      if (code === 'refund_too_large') {
        const most = await readLeft().catch(() => 0);
        setErrors({ amount: most > 0 ? tooLarge(most) : message });
      } else if (field === 'amount' || field === 'reason') setErrors({ [field]: message });
      else toastFailure({ code, message });
    }
  }

  return (
    <ConfirmDialog
      opened
      hasFields
      title={t('receipt.refund.question')}
      text={
        <div className={layout.stackMd}>
          <p>{t('receipt.refund.text', { name: log.username })}</p>
          <QuotaInput
            label={t('receipt.refund.amount')}
            value={amount}
            onChange={(units) => {
              setAmount(units);
              setErrors({});
            }}
            error={errors.amount}
          />
          <ReasonField
            label={t('receipt.refund.reason')}
            description={t('receipt.refund.reason_hint')}
            value={reason}
            error={errors.reason}
            onChange={(typed) => {
              setReason(typed);
              setErrors({});
            }}
          />
        </div>
      }
      confirmLabel={t('receipt.refund.action')}
      onConfirm={handleConfirm}
      onCancel={onClose}
    />
  );
}
