import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './managed-fields.module.css';

interface ManagedFieldsProps {
  /** File of settings as code that decides the fields; undefined: none, they are edited here. */
  file: string | undefined;
  children: ReactNode;
}

/** Fields of a record, read-only while a file of settings as code manages it. */
export function ManagedFields({ file, children }: ManagedFieldsProps) {
  const { t } = useTranslation();
  if (file === undefined) return children;
  return (
    <fieldset className={styles.fields} disabled aria-label={t('common.managed.by', { file })}>
      {children}
    </fieldset>
  );
}
