import { useTranslation } from 'react-i18next';
import { type ChannelKey, channelKeyApi } from '#shared/channel-keys.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import { endingText } from './key-mark.tsx';
import { useKeyMutation } from './queries.ts';

interface RemoveKeysProps {
  channel: number;
  removed: readonly ChannelKey[];
  onRemoved: () => void;
  onClose: () => void;
}

/** Confirms the removal: the text of a removed key cannot be restored. */
export function RemoveKeys({ channel, removed, onRemoved, onClose }: RemoveKeysProps) {
  const { t } = useTranslation();
  const count = removed.length;
  const remove = useKeyMutation(() =>
    call(channelKeyApi.remove, { params: { id: String(channel) }, body: { ids: removed.map(({ id }) => id) } }),
  );
  async function handleConfirm(): Promise<void> {
    try {
      const done = await remove.mutateAsync(undefined);
      toastSuccess(t('channel-keys.remove.done', { count: done }));
      onRemoved();
    } catch (failure) {
      toastFailure(failureOf(failure));
    }
    onClose();
  }
  return (
    <ConfirmDialog
      opened
      isDanger
      title={t('channel-keys.remove.title', { count })}
      text={t('channel-keys.remove.text', { endings: endingsOf(removed) })}
      confirmLabel={t('channel-keys.remove.confirm', { count })}
      onConfirm={handleConfirm}
      onCancel={onClose}
    />
  );
}

const mostListed = 5;

function endingsOf(keys: readonly ChannelKey[]): string {
  const listed = keys.slice(0, mostListed).map(({ ending }) => endingText(ending));
  return keys.length > mostListed ? `${listed.join(', ')}, …` : listed.join(', ');
}
