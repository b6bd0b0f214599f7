import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountApi } from '#shared/account.ts';
import type { User } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { isUnfunded, warningThreshold } from '#pwa/api/low-water.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { queueEdit, useOutbox } from '#pwa/offline/outbox.ts';
import { lowWaterKey, lowWaterState } from '#pwa/offline/edits/low-water.ts';
import { Block } from '#pwa/ui/frame/block.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { toastFailure, toastNote, toastSuccess } from '#pwa/ui/frame/toast.ts';
import styles from './personal.module.css';

const presets = [100_000, 500_000, 1_000_000, 5_000_000];

export function LowBalanceForm({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  const { value, shown, queued, error, isSaving, setValue, save } = useLowWaterMark(user);
  return (
    <Block
      title={t('personal.mark.title')}
      aside={
        queued !== undefined && (
          <StatusMark status={queued.state === 'conflict' ? 'conflict' : 'waiting'}>
            {t('personal.mark.waiting', { amount: format.quota(Number(queued.mine)) })}
          </StatusMark>
        )
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <div className={styles.level}>
          <BalanceMeter
            label={t('personal.mark.balance')}
            value={user.quota}
            valueText={format.quota(user.quota)}
            fullMark={user.full_mark}
            isUnfilled={isUnfunded(user)}
            lowMark={value === '' ? undefined : value}
          />
        </div>
        <QuotaInput
          label={t('personal.mark.label')}
          value={value}
          presets={presets}
          placeholder={shown === undefined ? t('personal.mark.none') : format.quota(shown)}
          error={error}
          onChange={setValue}
        />
        <p className={styles.hint}>{t('personal.mark.hint')}</p>
        <Button type="submit" variant="filled" loading={isSaving}>
          {t(isOnline ? 'personal.mark.save' : 'personal.mark.save_offline')}
        </Button>
      </form>
    </Block>
  );
}

/** The own low-water mark. Without a connection it waits in the outbox. */
function useLowWaterMark(user: User) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isOnline = useIsOnline();
  const queued = useOutbox().find(({ optionKey }) => optionKey === lowWaterKey);
  const stored = warningThreshold(user);
  const shown = queued === undefined ? stored : Number(queued.mine);
  const [typed, setTyped] = useState<number | ''>();
  const [error, setError] = useState<string>();
  const value = typed ?? shown ?? '';
  const send = useMutation({
    mutationFn: (mark: number) =>
      call(accountApi.saveSetting, { body: { notify_type: 'email', quota_warning_threshold: mark, revision: user.revision } }),
    meta: { quiet: true },
    onSuccess: (saved) => {
      queryClient.setQueryData(selfQuery.queryKey, saved);
      setTyped(undefined);
      toastSuccess(t('personal.mark.saved'));
    },
    onError: async (thrown, mark) => {
      const failure = failureOf(thrown);
      // What contradicts it is told apart, and kept apart, in the outbox.
      if (failure.isUnreachable || failure.code === 'revision_conflict') await keep(mark);
      else if (failure.field === lowWaterKey) setError(failure.message);
      else toastFailure(failure);
    },
  });

  async function keep(mark: number): Promise<void> {
    await queueEdit({ optionKey: lowWaterKey, base: lowWaterState(user), mine: String(mark) });
    setTyped(undefined);
    if (!isOnline) toastNote(t('personal.mark.kept'));
  }
  function save(): void {
    if (value === '') setError(t('personal.mark.required'));
    else if (value === shown) toastNote(t('personal.mark.nothing'));
    // Two ways to the server would overtake each other.
    else if (!isOnline || queued !== undefined) void keep(value);
    else send.mutate(value);
  }
  return {
    value,
    shown,
    queued,
    error,
    isSaving: send.isPending,
    setValue: (amount: number | '') => {
      setTyped(amount);
      setError(undefined);
    },
    save,
  };
}
