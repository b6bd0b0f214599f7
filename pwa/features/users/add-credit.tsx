import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type User, quotaLimit } from '#shared/user.ts';
import { userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { newRequestName } from '#pwa/api/request-name.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { ReasonField } from '#pwa/ui/form/reason-field.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { userQuery } from './queries.ts';
import styles from './user-panel.module.css';

/** Adds to a balance, whatever it is by then. */
export function AddCredit({ user }: { user: User }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <OnlineButton onClick={() => setOpen(true)} label={t('users.credit.action')} />
      {isOpen && <AddCreditDialog user={user} onClose={() => setOpen(false)} />}
    </>
  );
}

function AddCreditDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [amount, setAmount] = useState<number | ''>('');
  const [reason, setReason] = useState('');
  const [errors, setErrors] = useState<{ amount?: string; reason?: string }>({});
  const addCredit = useAddCredit(user);

  async function handleConfirm(): Promise<void> {
    if (amount === '' || amount <= 0) return setErrors({ amount: t('users.credit.required') });
    if (user.quota + amount > quotaLimit) return setErrors({ amount: t('users.problem.amount_large') });
    if (/\p{Cc}/u.test(reason.trim())) return setErrors({ reason: t('users.problem.reason_characters') });
    setErrors({});
    try {
      await addCredit(amount, reason.trim());
      toastSuccess(t('users.credit.done', { amount: format.quota(amount) }));
      onClose();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.field === 'quota_reason') setErrors({ reason: failure.message });
      else if (failure.field === 'quota_change' || failure.code.startsWith('balance_too')) setErrors({ amount: failure.message });
      else toastFailure(failure);
    }
  }

  return (
    <ConfirmDialog
      opened
      hasFields
      title={t('users.credit.title', { name: user.username })}
      text={
        <div className={layout.stackMd}>
          <QuotaInput
            label={t('users.credit.amount')}
            value={amount}
            onChange={(units) => {
              setAmount(units);
              setErrors({});
            }}
            error={errors.amount}
            presets={[1, 5, 10, 50].map((usd) => usd * format.quotaPerUnit)}
          />
          <ReasonField
            label={t('users.balance.reason')}
            description={t('users.balance.reason_hint')}
            value={reason}
            error={errors.reason}
            onChange={(typed) => {
              setReason(typed);
              setErrors({});
            }}
          />
          <p className={styles.after} role="status">
            <span>
              {t('users.balance.before')} {format.quota(user.quota)}
            </span>
            <span>
              {t('users.balance.after')} <b>{format.quota(user.quota + (amount === '' ? 0 : amount))}</b>
            </span>
          </p>
        </div>
      }
      confirmLabel={t('users.credit.action')}
      onConfirm={handleConfirm}
      onCancel={onClose}
    />
  );
}

function useAddCredit({ id }: User) {
  const queryClient = useQueryClient();
  const ownId = useStoredUser()?.id;
  // The same until the outcome is known: an answer may be lost.
  const quotaRef = useRef<string>(undefined);
  return async (amount: number, reason: string): Promise<void> => {
    quotaRef.current ??= newRequestName();
    const why = reason === '' ? {} : { quota_reason: reason };
    const saved = await call(userApi.edit, { body: { id, quota_change: amount, quota_ref: quotaRef.current, ...why } });
    queryClient.setQueryData(userQuery(id).queryKey, saved);
    await queryClient.invalidateQueries({ queryKey: ['users'] });
    await queryClient.invalidateQueries({ queryKey: ['user', id, 'balance-history'] });
    if (id === ownId) await queryClient.invalidateQueries({ queryKey: ['self'] });
  };
}
