import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { useRemoveTokens } from './token-actions.ts';

interface RemoveDialogProps {
  /** None: nothing is asked. */
  tokens: readonly Token[];
  onRemoved: (ids: readonly number[]) => void;
  onClose: () => void;
}

export function RemoveDialog({ tokens, onRemoved, onClose }: RemoveDialogProps) {
  const { t } = useTranslation();
  const remove = useRemoveTokens();

  async function handleConfirm(): Promise<void> {
    const ids = tokens.map((token) => token.id);
    // The failure is shown by itself; the question is answered either way.
    await remove.mutateAsync(ids).then(
      () => onRemoved(ids),
      () => undefined,
    );
    onClose();
  }
  return (
    <ConfirmDialog
      opened={tokens.length > 0}
      title={t('tokens.remove.title', { count: tokens.length, name: tokens[0]?.name ?? '' })}
      text={t('tokens.remove.text')}
      confirmLabel={t('tokens.remove.confirm', { count: tokens.length })}
      isDanger
      onConfirm={handleConfirm}
      onCancel={onClose}
    />
  );
}
