import { TextInput } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './conflict-choice.module.css';

export interface ConflictChoiceProps {
  settingKey: string;
  base: OptionState;
  mine: string;
  theirs: OptionState;
  /** When and by whom mine was made: `you, 14:05`. */
  mineNote: string;
  /** Sends the value, or takes it into the form. */
  verb: 'save' | 'use';
  isBusy?: boolean;
  /** The value that is to replace theirs. */
  onChoose: (value: string) => void;
  /** Theirs stays. */
  onDrop: () => void;
}

export type Choice = 'mine' | 'theirs' | 'other';

interface ConflictOptionsProps {
  name: string;
  /** The name stands above: there are several. */
  isNamed?: boolean;
  base: { note: string; value: string };
  mine: { note: string; value: string; difference: string };
  theirs: { note: string; value: string; difference: string };
  choice: Choice;
  onChoice: (choice: Choice) => void;
  other: string;
  onOther: (text: string) => void;
  /** Enter in the field of another value. */
  onOtherDone: () => void;
  otherError: ReactNode;
}

/** What it was, and the choice between mine, theirs and another value. */
export function ConflictOptions({
  name,
  isNamed = false,
  base,
  mine,
  theirs,
  choice,
  onChoice,
  other,
  onOther,
  onOtherDone,
  otherError,
}: ConflictOptionsProps) {
  const { t } = useTranslation();
  const group = useId();
  const option = (value: Choice, title: string, side?: { note: string; value: string; difference: string }): ReactNode => (
    <label className={styles.option} data-chosen={choice === value || undefined}>
      <input type="radio" name={group} checked={choice === value} onChange={() => onChoice(value)} />
      <span className={layout.fill}>
        <b className={side === undefined ? styles.plain : undefined}>{title}</b>
        {side !== undefined && <small>{side.note}</small>}
      </span>
      {side !== undefined && (
        <span className={styles.value}>
          <b>{side.value}</b>
          {side.difference !== '' && <small>{side.difference}</small>}
        </span>
      )}
    </label>
  );
  return (
    <fieldset className={`${layout.stackSm} ${styles.options}`}>
      <legend className={isNamed ? styles.name : 'visually-hidden'}>{name}</legend>
      <p className={styles.base}>
        <span className={layout.fill}>
          {t('setting_parts.conflict.base')} <span className={typography.muted}>· {base.note}</span>
        </span>
        <span className={styles.baseValue}>{base.value}</span>
      </p>
      {option('mine', t('setting_parts.conflict.mine'), mine)}
      {option('theirs', t('setting_parts.conflict.theirs'), theirs)}
      {option('other', t('setting_parts.conflict.other'))}
      {choice === 'other' && (
        <TextInput
          aria-label={t('setting_parts.conflict.other_label', { name })}
          value={other}
          error={otherError}
          autoFocus
          autoComplete="off"
          onChange={(event) => onOther(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            // Of the form around it, where there is one, it is not an answer.
            event.preventDefault();
            onOtherDone();
          }}
        />
      )}
    </fieldset>
  );
}
