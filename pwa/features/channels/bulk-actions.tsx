import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { bulkLimit } from '#shared/channel-tags.ts';
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import { countManaged } from '#pwa/records/managed-record.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import type { ChannelAction } from './channel-dialog.tsx';
import type { ChannelControls } from './use-channel-controls.ts';

interface BulkActionsProps extends Pick<ChannelControls, 'actions' | 'tests' | 'onDelete'> {
  ids: number[];
  /** The rows of this page. */
  rows: readonly Pick<Channel, 'id' | 'status' | 'managed_by'>[];
  onAsk: (action: ChannelAction) => void;
}

/** What can be done with the ticked channels; tests go one after the other, each with its result in its row. */
export function BulkActions({ ids, rows, actions, tests, onAsk, onDelete }: BulkActionsProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [progress, setProgress] = useState<{ done: number; of: number }>();
  const run = useTestRun(ids, tests);

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
    // For channels on other pages the previous status is unknown.
    if (!isEnabled && !hasFailed && stopped.length > 0 && known.length === ids.length) actions.offerToEnable(stopped);
  }

  if (run.progress !== undefined) {
    return (
      <>
        <span role="status">{t('channels.bulk.progress', run.progress)}</span>
        <Button variant="subtle" onClick={run.stop}>
          {t('channels.run.stop')}
        </Button>
      </>
    );
  }
  if (progress !== undefined) return <span role="status">{t('channels.bulk.progress', progress)}</span>;
  if (!isOnline) return <span>{t('channels.bulk.offline')}</span>;
  // Of channels on other pages the server decides.
  const managed = countManaged(rows.filter(({ id }) => ids.includes(id)));
  return (
    <>
      <Button variant="subtle" onClick={() => void setStatus(true)}>
        {t('channels.action.enable')}
      </Button>
      <Button variant="subtle" onClick={() => void setStatus(false)}>
        {t('channels.action.disable')}
      </Button>
      <Button variant="subtle" disabled={managed > 0} onClick={() => onAsk({ kind: 'edit_many', of: { ids } })}>
        {t('channels.action.edit_many')}
      </Button>
      <Button variant="subtle" onClick={() => void run.start()}>
        {t('channels.action.test')}
      </Button>
      <Button variant="subtle" data-danger disabled={managed > 0} onClick={() => onDelete(ids)}>
        {t('channels.action.delete')}
      </Button>
      {managed > 0 && <span>{t('common.managed.ticked', { count: managed })}</span>}
    </>
  );
}

/** Tests channels one after the other. Rows show their own results; the sums at the end also count those of other pages. */
function useTestRun(ids: readonly number[], tests: ChannelControls['tests']) {
  const { t } = useTranslation();
  const format = useFormat();
  const [progress, setProgress] = useState<{ done: number; of: number }>();
  const isStopped = useRef(false);
  async function start(): Promise<void> {
    isStopped.current = false;
    let done = 0;
    let failed = 0;
    for (const id of ids) {
      if (isStopped.current) break;
      setProgress({ done: done + 1, of: ids.length });
      const result = await tests.test({ id });
      done += 1;
      if (result.state === 'failed') failed += 1;
    }
    setProgress(undefined);
    const sums = t('channels.run.ended_tests', { done: format.count(done), failed: format.count(failed) });
    if (failed > 0) toastFailure({ code: '', message: sums });
    else toastSuccess(sums);
  }
  const stop = (): void => {
    isStopped.current = true;
  };
  return { progress, start, stop };
}
