import { NumberInput, SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { quotaLimit } from '#shared/user.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { Picks } from './picks.tsx';
import styles from './quota-input.module.css';

interface QuotaInputProps {
  label: ReactNode;
  /** Quota units; '' : empty. */
  value: number | '';
  onChange: (units: number | '') => void;
  error?: ReactNode;
  description?: ReactNode;
  disabled?: boolean;
  /** Amounts offered below, in quota units. */
  presets?: readonly number[];
  /** Lets a minus sign in, for changes of a balance. */
  isSigned?: boolean;
  name?: string;
  /** What stands in the empty field. */
  placeholder?: string;
  /** In the site's unit only, for narrow places. */
  isPlain?: boolean;
}

const noPresets: readonly number[] = [];

/** An amount of quota, entered in dollars or in units; the other one is shown. What goes out are whole units. */
export function QuotaInput({
  label,
  value,
  onChange,
  error,
  description,
  disabled = false,
  presets = noPresets,
  isSigned = false,
  name,
  placeholder,
  isPlain = false,
}: QuotaInputProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [unit, setUnit] = useState<'usd' | 'units'>(format.inCurrency ? 'usd' : 'units');
  const isUsd = unit === 'usd';
  const shown = value === '' ? '' : isUsd ? value / format.quotaPerUnit : value;
  const equivalent =
    value === '' ? '' : isUsd ? t('common.quota.units', { amount: format.count(value) }) : format.usd(value / format.quotaPerUnit);

  function handleChange(typed: string | number): void {
    const amount = typeof typed === 'number' ? typed : typed === '' || typed === '-' ? Number.NaN : Number(typed);
    if (Number.isNaN(amount)) onChange('');
    else onChange(Math.round(isUsd ? amount * format.quotaPerUnit : amount));
  }

  return (
    <div className={layout.stackSm}>
      <NumberInput
        name={name}
        placeholder={placeholder}
        label={label}
        value={shown}
        onChange={handleChange}
        error={error}
        description={description ?? (equivalent === '' || isPlain ? undefined : `= ${equivalent}`)}
        disabled={disabled}
        decimalScale={isUsd ? 6 : 0}
        allowNegative={isSigned}
        thousandSeparator=","
        min={isSigned ? -quotaLimit : 0}
        max={isUsd ? quotaLimit / format.quotaPerUnit : quotaLimit}
        clampBehavior="none"
        inputMode={isSigned ? 'text' : 'decimal'}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        leftSection={isUsd ? '$' : undefined}
        {...(isPlain ? {} : { rightSectionWidth: 112 })}
        rightSection={
          isPlain ? undefined : (
            <SegmentedControl
              size="xs"
              className={styles.unit}
              aria-label={t('common.quota.unit')}
              value={unit}
              onChange={(chosen) => setUnit(chosen === 'usd' ? 'usd' : 'units')}
              data={[
                { value: 'usd', label: 'USD' },
                { value: 'units', label: t('common.quota.name') },
              ]}
            />
          )
        }
      />
      {presets.length > 0 && (
        <Picks
          disabled={disabled}
          picks={presets.map((preset) => ({ key: preset, label: format.quota(preset), onPick: () => onChange(preset) }))}
        />
      )}
    </div>
  );
}
