import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './secret-field.module.css';
import { TextArea } from './text-area.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

interface SecretFieldProps {
  label: ReactNode;
  /** The server has one already. It is never sent here. */
  isSet: boolean;
  /** Undefined: untouched, nothing is sent. A text: replaces it. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  error?: ReactNode;
  placeholder?: string;
  /** What it is, said while it is typed. */
  description?: string;
  /** Keys of several lines. */
  isMultiline?: boolean;
}

/** A key or a password that can be replaced but never read. What was not touched is not sent. */
export function SecretField({ label, isSet, value, onChange, error, placeholder, description, isMultiline = false }: SecretFieldProps) {
  const { t } = useTranslation();
  if (isSet && value === undefined) {
    return (
      <div className={styles.set}>
        <span className={`${typography.small} ${typography.secondary}`}>{label}</span>
        <span className={`${layout.row} ${layout.spread}`}>
          <StatusMark status="on">{t('common.secret.set')}</StatusMark>
          <Button onClick={() => onChange('')}>{t('common.secret.replace')}</Button>
        </span>
      </div>
    );
  }
  const attributes = {
    label,
    error,
    description,
    placeholder: placeholder ?? '',
    value: value ?? '',
    autoComplete: 'off',
    autoCapitalize: 'none',
    autoCorrect: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  } as const;
  return (
    <div className={styles.replacing}>
      {isMultiline ? (
        <TextArea {...attributes} minRows={3} maxRows={10} className={styles.mono} />
      ) : (
        <TextInput {...attributes} className={styles.mono} />
      )}
      {isSet && (
        <span className={`${layout.row} ${layout.spread}`}>
          <span className={`${typography.small} ${styles.hint}`}>{t('common.secret.replacing')}</span>
          <Button variant="subtle" onClick={() => onChange(undefined)}>
            {t('common.secret.keep')}
          </Button>
        </span>
      )}
    </div>
  );
}
