import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { wholeKey } from '#pwa/api/token-key.ts';
import { RowActions } from '#pwa/records/row-actions.tsx';
import { verbOf } from './token-labels.tsx';

interface TokenRowActionsProps {
  token: Token;
  /** Failures have been told when it ends. */
  onToggle: (token: Token) => Promise<void>;
  onRemove: (token: Token) => void;
}

export function TokenRowActions({ token, onToggle, onRemove }: TokenRowActionsProps) {
  const { t } = useTranslation();
  const { name } = token;
  return (
    <RowActions
      copy={{
        secret: wholeKey(token),
        label: t('tokens.action.copy_named', { name }),
        lostText: token.key === '' ? t('tokens.key_lost') : undefined,
      }}
      toggleLabel={t(`tokens.action.${verbOf(token)}`)}
      onToggle={() => onToggle(token)}
      removeLabel={t('tokens.action.delete_named', { name })}
      onRemove={() => onRemove(token)}
    />
  );
}
