import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { channelApi, ChannelStatus, type FailingChannel } from '#shared/channels.ts';
import { todoQuery } from '#pwa/api/operator-todo.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';
import { useFailingText } from '#pwa/api/failing-channels.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useUndo } from '#pwa/api/use-undo.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import styles from './todo-line.module.css';

// Longer than the server gives a provider.
const patience = 65_000;

const titles = { calls: 'home.todo.failing', test: 'home.todo.failing_test', settings: 'home.todo.failing_settings' } as const;

/** A channel that fails, why and since when, with what can be done about it at once. */
export function FailingLine({ channel }: { channel: FailingChannel }) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const offerUndo = useUndo();
  const isOnline = useIsOnline();
  const why = useFailingText();
  const { id, name } = channel;
  const refresh = () =>
    Promise.all([todoQuery.queryKey, ['channels'], ['channel']].map((queryKey) => client.invalidateQueries({ queryKey })));
  const test = useMutation({
    mutationFn: () => callWithExtra(channelApi.test, { params: { id: String(id) }, query: {}, timeout: patience }),
    meta: { quiet: true },
    onSuccess: ({ extra }) => toastSuccess(t('home.todo.passed', { name, time: format.duration(extra.time * 1000) })),
    onError: (error) => toastFailure(failureOf(error)),
    onSettled: refresh,
  });
  const setStatus = (status: number, revision?: number) => call(channelApi.edit, { body: { id, status, revision } }).finally(refresh);
  const disable = useMutation({
    mutationFn: () => setStatus(ChannelStatus.disabledByHand),
    meta: { quiet: true },
    onSuccess: ({ revision }) =>
      offerUndo(t('home.todo.disabled', { name }), () => setStatus(ChannelStatus.enabled, revision).then(() => true)),
    onError: (error) => toastFailure(failureOf(error)),
  });
  return (
    <li className={styles.todoActs}>
      <Link className={styles.todoLine} to="/channel/edit/$id" params={{ id: String(id) }} search={{}}>
        <span className={styles.todoWhat}>
          <StatusMark status="auto" strong>
            {t(titles[channel.by], { name })}
          </StatusMark>
        </span>
        <span className={styles.todoWhy}>{why(channel)}</span>
      </Link>
      <span className={styles.acts}>
        <Button loading={test.isPending} disabled={!isOnline || disable.isPending} onClick={() => test.mutate()}>
          {t('home.todo.test')}
        </Button>
        <Button variant="subtle" loading={disable.isPending} disabled={!isOnline || test.isPending} onClick={() => disable.mutate()}>
          {t('home.todo.disable')}
        </Button>
      </span>
    </li>
  );
}
