import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton, PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import { wholeKey } from '#pwa/api/token-key.ts';
import styles from './tokens.module.css';

interface RowActionsProps {
  token: Token;
  /** Failures have been told when it ends. */
  onToggle: (token: Token) => Promise<void>;
  onRemove: (token: Token) => void;
}

/** Copy, enable or disable, delete; a click on the row itself edits. */
export function RowActions({ token, onToggle, onRemove }: RowActionsProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [isToggling, setToggling] = useState(false);
  const needs = useNeedsConnection();
  return (
    <span className={styles.actions}>
      <CopyKey token={token} />
      <PlainButton
        variant="subtle"
        isBusy={isToggling}
        disabled={!isOnline}
        title={needs(t(`tokens.action.${verbOf(token)}`))}
        onClick={() => {
          setToggling(true);
          void onToggle(token).finally(() => setToggling(false));
        }}
      >
        {t(`tokens.action.${verbOf(token)}`)}
      </PlainButton>
      <PlainIconButton
        label={needs(t('tokens.action.delete_named', { name: token.name }))}
        title={needs(t('common.action.delete'))}
        disabled={!isOnline}
        onClick={() => onRemove(token)}
      >
        <Icon name="trash" />
      </PlainIconButton>
    </span>
  );
}

/** Without a connection only the mask is here, and a mask is not copied. */
function CopyKey({ token }: { token: Token }) {
  const { t } = useTranslation();
  const key = wholeKey(token);
  const label = t('tokens.action.copy_named', { name: token.name });
  if (key !== undefined) return <CopyIcon text={key} label={label} />;
  const reason = token.key === '' ? t('tokens.key_lost') : t('common.action.needs_connection', { action: label });
  return (
    <PlainIconButton label={reason} title={reason} disabled>
      <Icon name="copy" />
    </PlainIconButton>
  );
}

export function verbOf(token: Token): 'enable' | 'disable' {
  return token.status === TokenStatus.disabled ? 'enable' : 'disable';
}
