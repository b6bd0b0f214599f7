import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Channel, type ChannelEdit, ChannelStatus, channelApi } from '#shared/channels.ts';
import { bulkLimit, type ChannelBulkEdit, channelTagApi } from '#shared/channel-tags.ts';
import { channelRunApi } from '#shared/channel-runs.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';
import { useUndo } from '#pwa/api/use-undo.ts';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import { copyBody } from './channel-values.ts';
import { useRemoveChannels } from './use-remove-channels.ts';

/** Longer than the server waits for a provider with one retry. */
const patience = 45_000;

/** Actions on channels of the list. Failures are shown as toasts; the list is requested again afterwards. */
export function useChannelActions() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const offerUndo = useUndo();
  const refresh = (): Promise<unknown> =>
    Promise.all([queryClient.invalidateQueries({ queryKey: ['channels'] }), queryClient.invalidateQueries({ queryKey: ['channel'] })]);
  const edit = useMutation({ mutationFn: (body: ChannelEdit) => call(channelApi.edit, { body }), onSuccess: refresh });
  const removal = useRemoveChannels(refresh);
  const copy = useMutation({
    mutationFn: async ({ id, name }: { id: number; name: (original: string) => string }) => {
      // The row may come from this device and lack fields that are not stored there.
      const channel = await call(channelApi.read, { params: { id: String(id) } });
      return (await call(channelApi.create, { body: copyBody(channel, name(channel.name)) }))[0];
    },
    onSuccess: refresh,
  });
  const setMany = useMutation({
    mutationFn: (body: ChannelBulkEdit) => call(channelTagApi.editMany, { body }),
    onSettled: refresh,
  });
  const setTag = useMutation({
    mutationFn: ({ tag, isEnabled }: { tag: string; isEnabled: boolean }) =>
      call(isEnabled ? channelTagApi.enableTag : channelTagApi.disableTag, { body: { tag } }),
    onSettled: refresh,
  });
  const repair = useMutation({ mutationFn: () => call(channelTagApi.repair), onSuccess: refresh });
  const balance = useMutation({
    mutationFn: ({ id }: Pick<Channel, 'id' | 'name'>) =>
      callWithExtra(channelRunApi.updateBalance, { params: { id: String(id) }, timeout: patience }),
    onSuccess: (_answer, { name }) => toastSuccess(t('channels.balance.done', { name })),
    // A failure is stored with the channel too.
    onSettled: refresh,
  });
  /** Of many at once that were enabled. */
  const offerToEnable = (ids: readonly number[]): void =>
    offerUndo(t('channels.undo.disabled_many', { count: ids.length }), async () => {
      const { failed } = await call(channelTagApi.editMany, { body: { ids: [...ids], status: ChannelStatus.enabled } }).finally(refresh);
      return failed.length === 0;
    });
  return {
    refresh,
    setMany: (body: ChannelBulkEdit) => setMany.mutateAsync(body),
    setTag: async (tag: string, isEnabled: boolean): Promise<void> => {
      // Undo leads back to where it came from: to those that were enabled before.
      const before = isEnabled ? [] : await enabledOf(tag);
      const count = await setTag.mutateAsync({ tag, isEnabled });
      if (before.length > 0 && before.length <= bulkLimit) offerToEnable(before);
      else if (!isEnabled) toastSuccess(t('channels.many.done', { count }));
    },
    repair: () => repair.mutateAsync(),
    updateBalance: (channel: Pick<Channel, 'id' | 'name'>) => balance.mutateAsync(channel),
    askingBalanceOf: balance.isPending ? balance.variables.id : undefined,
    busyId: edit.isPending ? edit.variables.id : undefined,
    setStatus: async (channel: Pick<Channel, 'id' | 'status'>, isEnabled: boolean) => {
      const status = isEnabled ? ChannelStatus.enabled : ChannelStatus.disabledByHand;
      const { id, name, revision } = await edit.mutateAsync({ id: channel.id, status });
      if (isEnabled || channel.status !== ChannelStatus.enabled) return;
      offerUndo(t('channels.undo.disabled', { name }), async () => {
        // Changes that others made since then stay.
        await call(channelApi.edit, { body: { id, status: ChannelStatus.enabled, revision } }).finally(refresh);
        return true;
      });
    },
    offerToEnable,
    setNumber: (channel: Pick<Channel, 'id'>, field: 'priority' | 'weight', value: number) =>
      edit.mutateAsync({ id: channel.id, [field]: value }),
    ...removal,
    copy: (id: number, name: (original: string) => string) => copy.mutateAsync({ id, name }),
  };
}
/** A tag can be disabled although these are unknown. */
async function enabledOf(tag: string): Promise<number[]> {
  const channels = await call(channelApi.search, { query: { tag } }).catch(() => []);
  return channels.filter((channel) => channel.tag === tag && channel.status === ChannelStatus.enabled).map(({ id }) => id);
}

export type ChannelActions = ReturnType<typeof useChannelActions>;
