import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { momentOf, momentText } from './moment-text.ts';
import { Picks } from './picks.tsx';

interface ExpiryFieldProps {
  label: string;
  /** Unix seconds; -1: never. */
  value: number;
  onChange: (seconds: number) => void;
  error: ReactNode;
  neverLabel: string;
  /** Under the moment: in which time zone it is. */
  zoneText: string;
  /** Moments that are so many seconds away. */
  shortcuts: readonly { name: string; label: string; seconds: number }[];
}

const never = -1;

/** When something ends: never, after a while, or at a moment. */
export function ExpiryField({ label, value, onChange, error, neverLabel, zoneText, shortcuts }: ExpiryFieldProps) {
  const isNever = value === never;
  return (
    <div className={layout.stackSm} role="group" aria-label={label}>
      <span className={`${typography.small} ${typography.secondary}`} aria-hidden="true">
        {label}
      </span>
      <Picks
        picks={[
          { key: 'never', label: neverLabel, isChosen: isNever, onPick: () => onChange(never) },
          ...shortcuts.map(({ name, label: text, seconds }) => ({
            key: name,
            label: text,
            onPick: () => onChange(Math.ceil(Date.now() / 1000) + seconds),
          })),
        ]}
      />
      {!isNever && (
        <TextInput
          aria-label={label}
          description={zoneText}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          type="datetime-local"
          value={momentText(value)}
          error={error}
          // Nothing entered means never.
          onChange={(event) => onChange(momentOf(event.currentTarget.value) ?? never)}
        />
      )}
    </div>
  );
}
