import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './first-call.module.css';

const key = 'AutomaticDisableChannelEnabled';

/** Whether the question is open: false while that is unknown, and after a refusal on this device. */
export function useAutoDisableQuestion(isAdmin: boolean): { isOpen: boolean; refuse(): void } {
  const options = useQuery({ ...optionsQuery, enabled: isAdmin }).data;
  const userId = useStoredUser()?.id ?? 0;
  const [isRefused, setRefused] = useState(() => isDeclined(userId));
  return {
    isOpen: !isRefused && options?.find((option) => option.key === key)?.value === 'false',
    refuse() {
      setRefused(true);
      decline(userId);
    },
  };
}

function isDeclined(userId: number): boolean {
  try {
    return localStorage.getItem(placeOf(userId)) !== null;
  } catch {
    return false;
  }
}

function decline(userId: number): void {
  try {
    localStorage.setItem(placeOf(userId), String(Date.now()));
  } catch {
    // Storage is full or forbidden: the question returns another time.
  }
}

function placeOf(userId: number): string {
  return `auto-disable-declined:${userId}`;
}

/** May channels that fail be taken out of use without anybody's doing? */
export function AskAutoDisable({ onRefuse }: { onRefuse: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const isOnline = useIsOnline();
  const save = useMutation({
    mutationFn: () => call(optionApi.save, { body: { key, value: 'true' } }),
    onSuccess: () => toastSuccess(t('guide.next.auto_disable_done')),
    onSettled: () => client.invalidateQueries({ queryKey: optionsQuery.queryKey }),
  });
  return (
    <li>
      <Glyph name="diamond" />
      <b>{t('guide.next.auto_disable')}</b>
      <span className={`${typography.note} ${styles.todoText}`}>{t('guide.next.auto_disable_text')}</span>
      <span className={styles.answers}>
        <Button disabled={!isOnline} loading={save.isPending} onClick={() => save.mutate()}>
          {t('guide.next.auto_disable_do')}
        </Button>
        <Button variant="subtle" disabled={save.isPending} onClick={onRefuse}>
          {t('guide.next.auto_disable_no')}
        </Button>
      </span>
    </li>
  );
}
