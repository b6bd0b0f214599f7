import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKey, channelKeyApi } from '#shared/channel-keys.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { call } from '#pwa/api/call.ts';
import { type CallFailure, failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import { useKeyMutation } from './queries.ts';
import { RemoveKeys } from './remove-keys.tsx';

interface KeyBulkActionsProps {
  channel: number;
  ticked: readonly ChannelKey[];
  /** Number of all keys of the channel, which retains at least one. */
  total: number;
  /** File that decides which keys there are. */
  managedBy: string | undefined;
  onRemoved: () => void;
}

/** What can be done with the ticked keys of a channel. */
export function KeyBulkActions({ channel, ticked, total, managedBy, onRemoved }: KeyBulkActionsProps) {
  const { t } = useTranslation();
  const params = { id: String(channel) };
  const ids = ticked.map(({ id }) => id);
  const [isRemoving, setRemoving] = useState(false);
  const setStatus = useKeyMutation((status: number) => call(channelKeyApi.setStatus, { params, body: { ids, status } }));
  const test = useKeyMutation(() => testAll(channel, ticked));
  const isBusy = setStatus.isPending || test.isPending;
  const change = (status: number, done: 'enabled' | 'disabled'): void =>
    setStatus.mutate(status, {
      onSuccess: (count) => toastSuccess(t(`channel-keys.bulk.${done}`, { count })),
      onError: (failure) => toastFailure(failureOf(failure)),
    });
  const handleTest = (): void =>
    test.mutate(undefined, {
      onSuccess: ({ passed, failures }) => {
        if (passed > 0) toastSuccess(t('channel-keys.bulk.passed', { count: passed }));
        const [first] = failures;
        if (first !== undefined)
          toastFailure({ code: first.code, message: t('channel-keys.bulk.failed', { count: failures.length, reason: first.message }) });
      },
    });
  return (
    <>
      <OnlineButton
        variant="subtle"
        disabled={isBusy}
        loading={test.isPending}
        onClick={handleTest}
        label={t('channel-keys.action.test')}
      />
      <OnlineButton
        variant="subtle"
        disabled={isBusy}
        onClick={() => change(ChannelStatus.enabled, 'enabled')}
        label={t('channel-keys.action.enable')}
      />
      <OnlineButton
        variant="subtle"
        disabled={isBusy}
        onClick={() => change(ChannelStatus.disabledByHand, 'disabled')}
        label={t('channel-keys.action.disable')}
      />
      <OnlineButton
        variant="subtle"
        data-danger
        disabled={isBusy || ticked.length >= total || managedBy !== undefined}
        onClick={() => setRemoving(true)}
        label={t('channel-keys.action.remove')}
      />
      {isRemoving && <RemoveKeys channel={channel} removed={ticked} onRemoved={onRemoved} onClose={() => setRemoving(false)} />}
    </>
  );
}

/** One after the other: a provider limits what tests send at once. Returns how many passed, and why the others did not. */
async function testAll(channel: number, keys: readonly ChannelKey[]): Promise<{ passed: number; failures: CallFailure[] }> {
  const failures: CallFailure[] = [];
  for (const { id } of keys) {
    const params = { id: String(channel), key: String(id) };
    await call(channelKeyApi.test, { params, body: {} }).catch((failure: unknown) => failures.push(failureOf(failure)));
  }
  return { passed: keys.length - failures.length, failures };
}
