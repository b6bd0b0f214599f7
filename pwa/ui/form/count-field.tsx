import { NumberInput, type NumberInputProps } from '@mantine/core';
import layout from '#pwa/ui/styles/layout.module.css';
import { Picks } from './picks.tsx';

interface CountFieldProps extends Pick<NumberInputProps, 'description' | 'error' | 'clampBehavior'> {
  label: string;
  max: number;
  /** '' : nothing entered. */
  value: number | '';
  onChange: (count: number | '') => void;
  /** Counts that are offered below. */
  picks: readonly number[];
}

/** How many: a whole number from 1 on. */
export function CountField({ value, onChange, picks, ...input }: CountFieldProps) {
  return (
    <div className={layout.stackSm}>
      <NumberInput
        {...input}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        value={value}
        onChange={(count) => onChange(typeof count === 'number' ? count : '')}
      />
      <Picks picks={picks.map((count) => ({ key: count, label: count, isChosen: value === count, onPick: () => onChange(count) }))} />
    </div>
  );
}
