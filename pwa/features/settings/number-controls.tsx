import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { around, type ControlProps } from './control-props.ts';
import { textName } from './setting-entry.ts';
import styles from './setting-field.module.css';

export function QuotaControl({ text, label, hint, error, disabled, onType }: ControlProps) {
  return (
    <QuotaInput
      label={label}
      description={hint}
      error={error}
      disabled={disabled}
      value={text.trim() === '' || !Number.isFinite(Number(text)) ? '' : Number(text)}
      onChange={(units) => onType(String(units))}
    />
  );
}

/** Written in digits, but no amounts. */
const names: ReadonlySet<string> = new Set(['SMTPPort']);

export function NumberControl(props: ControlProps) {
  const { entry, text, onType } = props;
  const { t, i18n } = useTranslation();
  const unit = `settings.unit.${textName(entry.key)}`;
  return (
    <NumberInput
      {...around(props)}
      value={text}
      thousandSeparator={names.has(entry.key) ? '' : ','}
      valueIsNumericString
      clampBehavior="none"
      inputMode="decimal"
      {...(i18n.exists(unit) ? { rightSection: <span className={styles.unit}>{t(unit)}</span>, rightSectionWidth: 72 } : {})}
      onChange={(value) => onType(String(value))}
    />
  );
}
