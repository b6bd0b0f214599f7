import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Option } from '#shared/options.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { around } from './control-props.ts';
import type { Draft } from './option-drafts.ts';
import styles from './setting-field.module.css';

interface SecretControlProps {
  option: Option;
  draft: Draft | undefined;
  mayWrite: boolean;
  onType: (text: string) => void;
  onDrop: () => void;
  label: ReactNode;
  hint: string;
  error: string | undefined;
}

/** A secret can be set, replaced and removed, but never read. What was not touched is not sent. */
export function SecretControl({ option, draft, mayWrite, label, hint, error, onType, onDrop }: SecretControlProps) {
  const { t } = useTranslation();
  const [isReplacing, setReplacing] = useState(false);
  const isSet = option.isSet === true;
  const isRemoved = draft?.text === '';
  if (isSet && (isRemoved || (draft === undefined && !isReplacing))) {
    return (
      <div className={styles.row}>
        <span className={`${typography.compact} ${styles.words}`}>
          <span>{label}</span>
          <span className={typography.note}>{hint}</span>
        </span>
        <span className={`${layout.row} ${layout.wrap} ${styles.secret}`}>
          <StatusMark status={isRemoved ? 'off' : 'on'}>{t(isRemoved ? 'settings.secret.removed' : 'common.secret.set')}</StatusMark>
          {isRemoved ? (
            <Button onClick={onDrop}>{t('common.secret.keep')}</Button>
          ) : (
            <>
              <Button disabled={!mayWrite} onClick={() => setReplacing(true)}>
                {t('common.secret.replace')}
              </Button>
              <Button variant="subtle" data-danger disabled={!mayWrite} onClick={() => onType('')}>
                {t('settings.secret.remove')}
              </Button>
            </>
          )}
        </span>
      </div>
    );
  }
  return (
    <>
      <TextInput
        type="password"
        {...around({ label, hint, error, disabled: !mayWrite })}
        value={draft?.text ?? ''}
        autoComplete="new-password"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => {
          // An emptied field is no wish to remove what is there.
          if (event.currentTarget.value === '') onDrop();
          else onType(event.currentTarget.value);
        }}
      />
      {isSet && (
        <p className={`${typography.note} ${styles.note}`}>
          {t('common.secret.replacing')}
          <Button
            variant="subtle"
            onClick={() => {
              setReplacing(false);
              onDrop();
            }}
          >
            {t('common.secret.keep')}
          </Button>
        </p>
      )}
    </>
  );
}
