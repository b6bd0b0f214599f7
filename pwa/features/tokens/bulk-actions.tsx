import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { countManaged } from '#pwa/records/managed-record.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { wholeKey } from '#pwa/api/token-key.ts';

interface BulkActionsProps {
  tokens: readonly Token[];
  isBusy: boolean;
  onEdit: () => void;
  onRemove: () => void;
}

/** What can be done with the ticked tokens. */
export function BulkActions({ tokens, isBusy, onEdit, onRemove }: BulkActionsProps) {
  const { t } = useTranslation();
  const managed = countManaged(tokens);
  const isNone = tokens.length === 0 || managed > 0;
  return (
    <>
      <OnlineButton variant="subtle" disabled={isNone} onClick={onEdit} label={t('tokens.action.edit_many')} />
      <CopyKeys tokens={tokens} />
      <OnlineButton
        variant="subtle"
        data-danger
        disabled={isNone}
        loading={isBusy}
        icon={<Icon name="trash" />}
        onClick={onRemove}
        label={t('common.action.delete')}
      />
      {managed > 0 && <span>{t('common.managed.ticked', { count: managed })}</span>}
    </>
  );
}

/** Names and keys, one per line. */
function CopyKeys({ tokens }: { tokens: readonly Token[] }) {
  const { t } = useTranslation();
  const lines = tokens.flatMap((token) => {
    const key = wholeKey(token);
    return key === undefined ? [] : [`${token.name}    ${key}`];
  });
  if (lines.length === 0) return null;
  return <CopyButton variant="subtle" label={t('tokens.action.copy_keys')} text={lines.join('\n')} />;
}
