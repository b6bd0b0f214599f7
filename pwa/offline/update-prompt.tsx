import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { useHasUnsavedEdits } from '#pwa/ui/form/unsaved-store.ts';
import { newsPlace } from '#pwa/ui/frame/news-place.ts';
import { useStore } from '#pwa/ui/store.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { outboxLock, useOutbox } from './outbox-store.ts';
import styles from './update-prompt.module.css';

/**
 * Offers a newer console. Under unsaved edits it waits: loading again would lose them. Edits in the outbox stay on the device and
 * are sent by the newer console; one that is on its way is answered first.
 */
export function UpdatePrompt({ onUpdate }: { onUpdate: () => void }) {
  const { t } = useTranslation();
  const hasEdits = useHasUnsavedEdits();
  const waiting = useOutbox().length;
  const place = useStore(newsPlace);
  const [isPutOff, setPutOff] = useState(false);
  const [isUpdating, setUpdating] = useState(false);
  if (isPutOff) return null;
  const words = hasEdits
    ? t('frame.update.after_saving')
    : waiting > 0
      ? t('frame.update.edits_stay', { count: waiting })
      : t('frame.update.ready');
  async function handleUpdate(): Promise<void> {
    setUpdating(true);
    const locks: LockManager | null | undefined = navigator.locks;
    await (locks ? locks.request(outboxLock, onUpdate) : onUpdate());
  }
  const prompt = (
    <div className={`${layout.row} ${styles.prompt}`} data-placed={place !== null || undefined} role="status">
      <span className={layout.fill}>{words}</span>
      <PlainButton variant="subtle" onClick={() => setPutOff(true)}>
        {t('frame.update.later')}
      </PlainButton>
      <PlainButton variant="default" disabled={hasEdits} isBusy={isUpdating} onClick={() => void handleUpdate()}>
        {t('frame.update.now')}
      </PlainButton>
    </div>
  );
  return place === null ? prompt : createPortal(prompt, place);
}
