import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { bulkLimit } from '#shared/channel-tags.ts';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import type { AskedOfChannels } from './channel-dialog.tsx';
import type { ChannelControls } from './use-channel-controls.ts';

interface BulkActionsProps extends Pick<ChannelControls, 'actions' | 'tests' | 'onDelete'> {
  ids: number[];
  /** The rows of this page. */
  rows: readonly Pick<Channel, 'id' | 'status'>[];
  onAsk: (asked: AskedOfChannels) => void;
}

/** What can be done with the ticked channels; tests go one after the other, each with its result in its row. */
export function BulkActions({ ids, rows, actions, tests, onAsk, onDelete }: BulkActionsProps) {
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

  async function setStatus(isEnabled: boolean): Promise<void> {
    const known = rows.filter(({ id }) => ids.includes(id));
    let hasFailed = false;
    for (let from = 0; from < ids.length; from += bulkLimit) {
      const part = ids.slice(from, from + bulkLimit);
      setProgress({ done: from + part.length, of: ids.length });
      const result = await actions
        .setMany({ ids: part, status: isEnabled ? ChannelStatus.enabled : ChannelStatus.disabledByHand })
        // It has been toasted.
        .catch(() => undefined);
      hasFailed ||= result === undefined || result.failed.length > 0;
      if (result === undefined) break;
      const [first] = result.failed;
      if (first !== undefined) {
        toastFailure({
          code: '',
          message: t('channels.many.failed', { count: result.failed.length, id: first.id, message: first.message }),
        });
      }
    }
    setProgress(undefined);
    const stopped = known.filter(({ status }) => status === ChannelStatus.enabled).map(({ id }) => id);
    // Of channels on other pages nobody knows here which of them were enabled.
    if (!isEnabled && !hasFailed && stopped.length > 0 && known.length === ids.length) actions.offerToEnable(stopped);
  }

  if (progress !== undefined) return <span role="status">{t('channels.bulk.progress', progress)}</span>;
  if (!isOnline) return <span>{t('channels.bulk.offline')}</span>;
  return (
    <>
      <Button variant="subtle" onClick={() => void setStatus(true)}>
        {t('channels.action.enable')}
      </Button>
      <Button variant="subtle" onClick={() => void setStatus(false)}>
        {t('channels.action.disable')}
      </Button>
      <Button variant="subtle" onClick={() => onAsk({ kind: 'edit_many', of: { ids } })}>
        {t('channels.action.edit_many')}
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
