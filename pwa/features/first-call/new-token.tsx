import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tokenApi, tokenNameLimit } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './first-call.module.css';

/** Five dollars with the default units per dollar: more than a first day needs, less than a mistake should cost. */
const firstQuota = 2_500_000;

/** `balance`: of the account, which bounds what the token can spend. */
export function NewToken({ balance }: { balance: number }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const client = useQueryClient();
  const [tokenName, setTokenName] = useState(() => t('guide.token.first_name'));
  const [quota, setQuota] = useState<number | ''>(balance > 0 ? Math.min(firstQuota, balance) : firstQuota);
  const create = useMutation({
    mutationFn: () =>
      call(tokenApi.create, { body: { name: tokenName.trim(), remain_quota: quota === '' ? 0 : quota, unlimited_quota: false } }),
    meta: { quiet: true },
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const nameProblem = tokenName.trim() === '' ? t('guide.token.name_missing') : undefined;
  const quotaProblem = quota === '' || quota <= 0 ? t('guide.token.quota_missing') : undefined;
  const isWrong = nameProblem !== undefined || quotaProblem !== undefined;

  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    if (isWrong) document.querySelector<HTMLElement>('form [aria-invalid=true]')?.focus();
    else if (isOnline && !create.isPending) create.mutate();
  }
  const label = t('guide.token.create');
  return (
    <form className={styles.newToken} noValidate onSubmit={handleSubmit}>
      <TextInput
        label={t('guide.token.name_label')}
        maxLength={tokenNameLimit}
        value={tokenName}
        error={nameProblem}
        onChange={(event) => setTokenName(event.currentTarget.value)}
      />
      <QuotaInput label={t('guide.token.quota_label')} value={quota} error={quotaProblem} onChange={setQuota} />
      {create.error !== null && (
        <p role="alert" className={styles.wide}>
          <StatusMark status="failed">{failureOf(create.error).message}</StatusMark>
        </p>
      )}
      <OnlineButton type="submit" variant="filled" className={styles.submit} loading={create.isPending} label={label} />
    </form>
  );
}
