import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Channel, type ChannelEdit, ChannelStatus, channelApi } from '#shared/channels.ts';
import { call } from '#pwa/api/call.ts';
import { copyBody } from './channel-values.ts';

/** What can be done to channels from their list. Failures are toasted; the list is asked again afterwards. */
export function useChannelActions() {
  const queryClient = useQueryClient();
  const refresh = (): Promise<unknown> =>
    Promise.all([queryClient.invalidateQueries({ queryKey: ['channels'] }), queryClient.invalidateQueries({ queryKey: ['channel'] })]);
  const edit = useMutation({ mutationFn: (body: ChannelEdit) => call(channelApi.edit, { body }), onSuccess: refresh });
  const remove = useMutation({ mutationFn: (ids: number[]) => call(channelApi.removeMany, { body: { ids } }), onSuccess: refresh });
  const removeDisabled = useMutation({ mutationFn: () => call(channelApi.removeDisabled), onSuccess: refresh });
  const copy = useMutation({
    mutationFn: async ({ id, name }: { id: number; name: (original: string) => string }) => {
      // The row may come from this device and lack what is not kept there.
      const channel = await call(channelApi.read, { params: { id: String(id) } });
      return (await call(channelApi.create, { body: copyBody(channel, name(channel.name)) }))[0];
    },
    onSuccess: refresh,
  });
  return {
    busyId: edit.isPending ? edit.variables.id : undefined,
    setStatus: (channel: Pick<Channel, 'id'>, isEnabled: boolean) =>
      edit.mutateAsync({ id: channel.id, status: isEnabled ? ChannelStatus.enabled : ChannelStatus.disabledByHand }),
    setNumber: (channel: Pick<Channel, 'id'>, field: 'priority' | 'weight', value: number) =>
      edit.mutateAsync({ id: channel.id, [field]: value }),
    remove: (ids: number[]) => remove.mutateAsync(ids),
    removeDisabled: () => removeDisabled.mutateAsync(),
    copy: (id: number, name: (original: string) => string) => copy.mutateAsync({ id, name }),
  };
}
export type ChannelActions = ReturnType<typeof useChannelActions>;
