import { useTranslation } from 'react-i18next';
import { Link } from '@tanstack/react-router';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { wholeKey } from '#pwa/api/token-key.ts';
import { isFree } from '#pwa/records/managed-record.ts';
import { RowActions } from '#pwa/records/row-actions.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import styles from './tokens.module.css';
import { verbOf } from './token-labels.tsx';

interface TokenRowActionsProps {
  token: Token;
  /** There is room for what the token's panel has too. */
  isRoomy: boolean;
  /** Failures have been reported when it ends. */
  onToggle: (token: Token) => Promise<void>;
  onRemove: (token: Token) => void;
}

export function TokenRowActions({ token, isRoomy, onToggle, onRemove }: TokenRowActionsProps) {
  const { t } = useTranslation();
  const { name } = token;
  return (
    <RowActions
      copy={{
        secret: wholeKey(token),
        label: t('tokens.action.copy_named', { name }),
        lostText: token.key !== '' ? undefined : t(token.key_ending === undefined ? 'tokens.key_lost' : 'tokens.key_hashed'),
      }}
      further={isRoomy && (token.status === TokenStatus.enabled ? <ConnectLink token={token} /> : <span className={styles.noConnect} />)}
      toggleLabel={isFree(token, 'status') ? t(`tokens.action.${verbOf(token)}`) : undefined}
      onToggle={() => onToggle(token)}
      removeLabel={t('tokens.action.delete_named', { name })}
      onRemove={() => onRemove(token)}
      managedBy={token.managed_by}
    />
  );
}

/** To the configuration of programs with this key. */
function ConnectLink({ token }: { token: Token }) {
  const { t } = useTranslation();
  const label = t('tokens.action.connect_named', { name: token.name });
  return (
    <Link
      className={styles.connect}
      to="/first-call"
      search={{ token: String(token.id) }}
      aria-label={label}
      title={t('tokens.action.connect')}
      onClick={(event) => event.stopPropagation()}
    >
      <Icon name="link" />
    </Link>
  );
}
