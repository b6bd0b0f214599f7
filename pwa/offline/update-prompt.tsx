import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { useHasUnsavedEdits } from '#pwa/ui/form/unsaved-store.ts';
import { applyUpdate, useUpdateWaiting } from './register-worker.ts';
import styles from './update-prompt.module.css';

/** Offers a newer console. Under unsaved edits it waits: loading again would lose them. */
export function UpdatePrompt() {
  const { t } = useTranslation();
  const isWaiting = useUpdateWaiting();
  const hasEdits = useHasUnsavedEdits();
  const [isPutOff, setPutOff] = useState(false);
  if (!isWaiting || isPutOff) return null;
  return (
    <div className={styles.prompt} role="status">
      <span className={styles.text}>{t(hasEdits ? 'frame.update.after_saving' : 'frame.update.ready')}</span>
      <PlainButton variant="subtle" onClick={() => setPutOff(true)}>
        {t('frame.update.later')}
      </PlainButton>
      <PlainButton variant="filled" disabled={hasEdits} onClick={applyUpdate}>
        {t('frame.update.now')}
      </PlainButton>
    </div>
  );
}
