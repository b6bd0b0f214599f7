import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { channelApi } from '#shared/channels.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';
import { useUndo } from '#pwa/api/use-undo.ts';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';

interface Removal {
  ids: number[] | 'disabled';
  /** Of the only one. */
  name?: string | undefined;
  /** Called as soon as it has happened, before the list is requested again. */
  onGone?: (() => void) | undefined;
}

/** Deletes at once; for a moment what was deleted can be had back as it was. */
export function useRemoveChannels(refresh: () => Promise<unknown>) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const { mutateAsync } = useMutation({
    mutationFn: ({ ids }: Removal) =>
      ids === 'disabled' ? callWithExtra(channelApi.removeDisabled) : callWithExtra(channelApi.removeMany, { body: { ids } }),
    onSuccess: ({ data: count, extra: { ids } }, { name, onGone }) => {
      onGone?.();
      if (count === 0) {
        toastSuccess(t('channels.delete.done', { count }));
        return;
      }
      offerUndo(name === undefined ? t('channels.undo.deleted_many', { count }) : t('channels.undo.deleted', { name }), async () => {
        const restored = await call(channelApi.restoreMany, { body: { ids } }).finally(refresh);
        return restored === count;
      });
    },
    onSettled: refresh,
  });
  return {
    remove: (ids: number[], { name, onGone }: Pick<Removal, 'name' | 'onGone'> = {}) => mutateAsync({ ids, name, onGone }),
    removeDisabled: () => mutateAsync({ ids: 'disabled' }),
  };
}
