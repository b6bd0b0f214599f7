import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';
import { optionsQuery } from '#pwa/api/options.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import styles from './first-call.module.css';

const key = 'AutomaticDisableChannelEnabled';

/** Whether it is still to be asked: false while that is not known. */
export function useAsksAutoDisable(isAdmin: boolean): boolean {
  const options = useQuery({ ...optionsQuery, enabled: isAdmin }).data;
  return options?.find((option) => option.key === key)?.value === 'false';
}

/** May channels that fail be taken out of use without anybody's doing? */
export function AskAutoDisable() {
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
      <span className={styles.todoText}>{t('guide.next.auto_disable_text')}</span>
      <Button disabled={!isOnline} loading={save.isPending} onClick={() => save.mutate()}>
        {t('guide.next.auto_disable_do')}
      </Button>
    </li>
  );
}
