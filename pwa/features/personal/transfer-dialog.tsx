import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountActionsApi } from '#shared/account-actions.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { warningThreshold } from '#pwa/api/low-water.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { newRequestName } from '#pwa/api/request-name.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { FormDialog } from '#pwa/ui/frame/form-dialog.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { OwnBalance } from './low-balance-form.tsx';
import styles from './personal.module.css';

interface TransferDialogProps {
  user: User;
  /** The least amount, in quota. */
  minimum: number;
  onClose: () => void;
}

/** Invite earnings become balance. A second press, or one whose response was lost, moves nothing twice. */
export function TransferDialog(props: TransferDialogProps) {
  const { t } = useTranslation();
  return (
    <FormDialog title={t('account.invite.transfer')} onClose={props.onClose}>
      <TransferForm {...props} />
    </FormDialog>
  );
}

function TransferForm({ user, minimum, onClose }: TransferDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [value, setValue] = useState<number | ''>(user.aff_quota);
  const [error, setError] = useState<string>();
  const transfer = useTransfer(onClose, setError);
  const amount = value === '' ? 0 : value;
  const isPossible = amount >= minimum && amount <= user.aff_quota;

  function handleTransfer(): void {
    if (value === '') setError(t('account.invite.required'));
    else if (amount < minimum) setError(t('account.invite.small', { amount: format.quota(minimum) }));
    else if (amount > user.aff_quota) setError(t('account.invite.large', { amount: format.quota(user.aff_quota) }));
    else transfer.mutate(amount);
  }
  function handleAll(): void {
    setValue(user.aff_quota);
    setError(undefined);
  }
  const after = isPossible ? amount : 0;
  return (
    <form
      className={layout.stackMd}
      onSubmit={(event) => {
        event.preventDefault();
        handleTransfer();
      }}
    >
      <QuotaInput
        label={t('account.invite.amount', { amount: format.quota(user.aff_quota) })}
        value={value}
        error={error}
        onChange={(units) => {
          setValue(units);
          setError(undefined);
        }}
      />
      <Button variant="subtle" className={styles.all} onClick={handleAll}>
        {t('account.invite.all')}
      </Button>
      <dl className={styles.sums}>
        <dt>{t('account.invite.from')}</dt>
        <dd>
          {format.quota(user.aff_quota)} → <b>{format.quota(user.aff_quota - after)}</b>
        </dd>
        <dt>{t('account.invite.to')}</dt>
        <dd>
          {format.quota(user.quota)} → <b>{format.quota(user.quota + after)}</b>
        </dd>
      </dl>
      <OwnBalance
        user={{ ...user, quota: user.quota + after, full_mark: Math.max(user.full_mark, user.quota + after) }}
        lowMark={warningThreshold(user)}
      />
      <p className={typography.note}>{t('account.invite.final')}</p>
      <OnlineButton
        type="submit"
        variant="filled"
        loading={transfer.isPending}
        label={t('account.invite.confirm', { amount: format.quota(amount) })}
      />
    </form>
  );
}

function useTransfer(onDone: () => void, onRefused: (message: string) => void) {
  const { t } = useTranslation();
  const format = useFormat();
  const queryClient = useQueryClient();
  // Of one amount there is one transfer as long as this is open.
  const [name] = useState(newRequestName);
  return useMutation({
    mutationFn: (quota: number) => call(accountActionsApi.transfer, { body: { quota, ref: `${name}-${quota}` } }),
    meta: { quiet: true },
    onSuccess: (user, quota) => {
      queryClient.setQueryData(selfQuery.queryKey, user);
      toastSuccess(t('account.invite.done', { amount: format.quota(quota) }));
      onDone();
    },
    onError: (thrown) => {
      const failure = failureOf(thrown);
      if (failure.field === 'quota') onRefused(failure.message);
      else toastFailure(failure);
    },
  });
}
