import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import type { ChannelControls } from './use-channel-controls.ts';

interface BulkActionsProps extends Pick<ChannelControls, 'actions' | 'tests'> {
  ids: number[];
  onDelete: (ids: number[]) => void;
}

/** What can be done with the ticked channels, one after the other where the server has no call for many. */
export function BulkActions({ ids, actions, tests, onDelete }: BulkActionsProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [progress, setProgress] = useState<{ done: number; of: number }>();

  async function each(act: (id: number) => Promise<unknown>): Promise<void> {
    for (const [index, id] of ids.entries()) {
      setProgress({ done: index + 1, of: ids.length });
      // A failure is told by its own toast or row; the others go on.
      await act(id).catch(() => {});
    }
    setProgress(undefined);
  }

  if (progress !== undefined) return <span role="status">{t('channels.bulk.progress', progress)}</span>;
  if (!isOnline) return <span>{t('channels.bulk.offline')}</span>;
  return (
    <>
      <Button variant="subtle" onClick={() => void each((id) => actions.setStatus({ id }, true))}>
        {t('channels.action.enable')}
      </Button>
      <Button variant="subtle" onClick={() => void each((id) => actions.setStatus({ id }, false))}>
        {t('channels.action.disable')}
      </Button>
      <Button variant="subtle" onClick={() => void each((id) => tests.test({ id }))}>
        {t('channels.action.test')}
      </Button>
      <Button variant="subtle" data-danger onClick={() => onDelete(ids)}>
        {t('channels.action.delete')}
      </Button>
    </>
  );
}
