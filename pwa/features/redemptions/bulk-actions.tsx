import { useTranslation } from 'react-i18next';
import type { Redemption, RedemptionAction } from '#shared/redemptions.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { codeLines } from './code-key.ts';

interface BulkActionsProps {
  ticked: readonly Redemption[];
  isBusy: boolean;
  onChange: (action: RedemptionAction) => void;
  onRemove: () => void;
}

/** What can be done with the ticked codes. */
export function BulkActions({ ticked, isBusy, onChange, onRemove }: BulkActionsProps) {
  const { t } = useTranslation();
  const lines = codeLines(ticked);
  const disabled = ticked.length === 0 || isBusy;
  return (
    <>
      {lines !== '' && <CopyButton variant="subtle" label={t('redemptions.action.copy_codes')} text={lines} />}
      <OnlineButton variant="subtle" disabled={disabled} onClick={() => onChange('enable')} label={t('redemptions.action.enable')} />
      <OnlineButton variant="subtle" disabled={disabled} onClick={() => onChange('disable')} label={t('redemptions.action.disable')} />
      <OnlineButton
        variant="subtle"
        data-danger
        disabled={disabled}
        icon={<Icon name="trash" />}
        onClick={onRemove}
        label={t('common.action.delete')}
      />
    </>
  );
}
