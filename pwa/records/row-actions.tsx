import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton, PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import styles from './row-actions.module.css';

interface RowActionsProps {
  copy: CopySecretProps;
  /** What else can be done with that record alone. */
  further?: ReactNode;
  /** What the button that switches the record says; undefined: it cannot be switched. */
  toggleLabel: string | undefined;
  /** Failures have been reported when it settles. */
  onToggle: () => Promise<void>;
  /** The name of the button that deletes, with the record's own. */
  removeLabel: string;
  onRemove: () => void;
  /** File that manages the record, which is deleted there. */
  managedBy?: string | undefined;
}

/** Copy, enable or disable, delete; a click on the row itself opens the record. */
export function RowActions({ copy, further, toggleLabel, onToggle, removeLabel, onRemove, managedBy: file }: RowActionsProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const [isToggling, setToggling] = useState(false);
  return (
    <span className={styles.actions}>
      <CopySecret {...copy} />
      {further}
      {toggleLabel === undefined ? (
        // Icons of all rows are below each other.
        <span className={styles.noToggle} />
      ) : (
        <PlainButton
          variant="subtle"
          isBusy={isToggling}
          disabled={!isOnline}
          title={needs(toggleLabel)}
          onClick={() => {
            setToggling(true);
            void onToggle().finally(() => setToggling(false));
          }}
        >
          {toggleLabel}
        </PlainButton>
      )}
      <PlainIconButton
        label={needs(removeLabel)}
        title={file === undefined ? needs(t('common.action.delete')) : t('common.managed.by', { file })}
        disabled={!isOnline || file !== undefined}
        onClick={onRemove}
      >
        <Icon name="trash" />
      </PlainIconButton>
    </span>
  );
}

interface CopySecretProps {
  /** Undefined: it is not here as a whole. */
  secret: string | undefined;
  label: string;
  /** Why the key cannot be copied any more; undefined: with a connection it can. */
  lostText: string | undefined;
}

/** Without a connection only the mask is here, and a mask is not copied. */
function CopySecret({ secret, label, lostText }: CopySecretProps) {
  const { t } = useTranslation();
  if (secret !== undefined) return <CopyIcon text={secret} label={label} />;
  const reason = lostText ?? t('common.action.needs_connection', { action: label });
  return (
    <PlainIconButton label={reason} title={reason} disabled>
      <Icon name="copy" />
    </PlainIconButton>
  );
}
