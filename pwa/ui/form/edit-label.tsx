import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './edit-label.module.css';

interface EditLabelProps {
  /** Nothing: not changed. A text: what it was before. `true`: changed, too long to say from what. */
  was: string | true | undefined;
  children: ReactNode;
}

/** Label of a field that shows whether the field holds an unsaved edit. */
export function EditLabel({ was, children }: EditLabelProps) {
  const { t } = useTranslation();
  return (
    <>
      {children}
      {was !== undefined && (
        <em className={styles.was}>{was === true || was === '' ? t('editing.changed') : t('editing.was', { value: was })}</em>
      )}
    </>
  );
}
