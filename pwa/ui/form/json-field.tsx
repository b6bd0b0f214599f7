import { Button } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type JsonFault, placeOfFault } from '#shared/json-fault.ts';
import styles from './json-field.module.css';
import { TextArea } from './text-area.tsx';

interface JsonFieldProps {
  label: ReactNode;
  value: string;
  onChange: (text: string) => void;
  error?: ReactNode;
  description?: ReactNode;
  /** An example that a button fills in. */
  template?: string;
  disabled?: boolean;
  minRows?: number;
}

/** JSON as text, checked while it is typed, with its place named when it is wrong. Empty is allowed. */
export function JsonField({ label, value, onChange, error, description, template, disabled = false, minRows = 4 }: JsonFieldProps) {
  const { t } = useTranslation();
  const fault = jsonFault(value);
  const message = error ?? (fault === undefined ? undefined : faultText(t, fault));
  return (
    <div className={styles.field}>
      <TextArea
        className={styles.text}
        label={label}
        description={description}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        value={value}
        error={message}
        disabled={disabled}
        minRows={minRows}
        maxRows={18}
        spellCheck={false}
        autoCapitalize="none"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <span className={styles.tools}>
        {template !== undefined && value.trim() === '' && (
          <Button variant="subtle" disabled={disabled} onClick={() => onChange(template)}>
            {t('common.json.template')}
          </Button>
        )}
        <Button variant="subtle" disabled={disabled || fault !== undefined || value.trim() === ''} onClick={() => onChange(pretty(value))}>
          {t('common.json.pretty')}
        </Button>
      </span>
    </div>
  );
}

function faultText(t: TFunction, fault: JsonFault | null): string {
  return fault === null ? t('common.json.invalid_long') : t('common.json.invalid', { line: fault.line, column: fault.column });
}

/** Where a text stops being JSON (from 1), null when it is too long to look, or undefined when it is JSON or empty. */
export function jsonFault(text: string): JsonFault | null | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return placeOfFault(text, error);
  }
}

function pretty(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
