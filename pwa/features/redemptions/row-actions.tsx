import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Redemption } from '#shared/redemptions.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton, PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import { wholeCode } from './code-key.ts';
import { verbOf } from './code-labels.tsx';
import styles from './redemptions.module.css';

interface RowActionsProps {
  code: Redemption;
  /** Failures have been told when it ends. */
  onToggle: (code: Redemption) => Promise<void>;
  onRemove: (code: Redemption) => void;
}

/** Copy, enable or disable, delete; a click on the row itself opens it. */
export function RowActions({ code, onToggle, onRemove }: RowActionsProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const [isToggling, setToggling] = useState(false);
  const verb = verbOf(code);
  return (
    <span className={styles.actions}>
      <CopyCode code={code} />
      {verb !== undefined && (
        <PlainButton
          variant="subtle"
          isBusy={isToggling}
          disabled={!isOnline}
          title={needs(t(`redemptions.action.${verb}`))}
          onClick={() => {
            setToggling(true);
            void onToggle(code).finally(() => setToggling(false));
          }}
        >
          {t(`redemptions.action.${verb}`)}
        </PlainButton>
      )}
      <PlainIconButton
        label={needs(t('redemptions.action.delete_named', { name: code.name, id: code.id }))}
        title={needs(t('common.action.delete'))}
        disabled={!isOnline}
        onClick={() => onRemove(code)}
      >
        <Icon name="trash" />
      </PlainIconButton>
    </span>
  );
}

/** Without a connection only the mask is here, and a mask is not copied. */
function CopyCode({ code }: { code: Redemption }) {
  const { t } = useTranslation();
  const key = wholeCode(code);
  const label = t('redemptions.action.copy_named', { name: code.name, id: code.id });
  if (key !== undefined) return <CopyIcon text={key} label={label} />;
  const reason = code.key === '' ? t('redemptions.key_lost') : t('common.action.needs_connection', { action: label });
  return (
    <PlainIconButton label={reason} title={reason} disabled>
      <Icon name="copy" />
    </PlainIconButton>
  );
}
