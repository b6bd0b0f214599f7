import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useSaveKey } from '#pwa/ui/frame/use-save-key.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './personal.module.css';
import type { OwnForm } from './use-own-form.ts';

const UnsavedEdits = lazyPart(
  () => import('#pwa/ui/form/unsaved-edits.tsx'),
  (part) => part.UnsavedEdits,
);

/** The one way to save here, at the foot of the screen while something is changed. */
export function SaveBar({ form }: { form: OwnForm }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isDirty = form.changes > 0;
  useSaveKey(isDirty ? form.save : undefined);
  if (!isDirty) return null;
  return (
    <footer className={styles.bar}>
      <UnsavedEdits when />
      <span className={`${layout.fill} ${styles.unsaved}`} role="status">
        {t('editing.unsaved', { count: form.changes })}
      </span>
      <Button variant="subtle" disabled={form.isSaving} onClick={form.discard}>
        {t('editing.discard')}
      </Button>
      <Button variant="filled" loading={form.isSaving} leftSection={isOnline ? null : <Icon name="outbox" />} onClick={form.save}>
        {t(isOnline ? 'personal.save' : 'personal.save_offline')}
      </Button>
    </footer>
  );
}
