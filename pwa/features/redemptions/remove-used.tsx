import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sweptIdsLimit } from '#shared/redemptions.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { useRemoveUsedCodes } from './code-actions.ts';

/** All that have been redeemed, not only those of this page. */
export function RemoveUsed() {
  const { t } = useTranslation();
  const format = useFormat();
  const [isConfirming, setConfirming] = useState(false);
  const remove = useRemoveUsedCodes();
  return (
    <>
      <OnlineButton
        data-danger
        icon={<Icon name="trash" />}
        onClick={() => setConfirming(true)}
        label={t('redemptions.action.delete_used')}
      />
      <ConfirmDialog
        opened={isConfirming}
        title={t('redemptions.remove_used.title')}
        text={t('redemptions.remove_used.text', { limit: format.count(sweptIdsLimit) })}
        confirmLabel={t('redemptions.action.delete_used')}
        isDanger
        onConfirm={async () => {
          // The mutation reports its result and its failure.
          await remove.mutateAsync().catch(() => undefined);
          setConfirming(false);
        }}
        onCancel={() => setConfirming(false)}
      />
    </>
  );
}
